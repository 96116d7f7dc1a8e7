// request.h: options that several commands read in the same way; what is wrong goes to standard
// error.
#ifndef SPRAG_TOOL_REQUEST_H
#define SPRAG_TOOL_REQUEST_H

#include "tool.h"

enum { REQUEST_JOBS = 64 }; // threads at most

// "sprag COMMAND: what, got 'text' …"; always false.
bool request_refuse(const char *command, const char *what, const char *text);
// Option --name as a whole number of 1 … most; *number stays as it is where it is not given.
bool request_count(const Arguments *arguments, const char *command, const char *name, int most,
                   int *number);
// Adds an output file (.csv, .svg or .png) to a list that has room for it.
bool request_file(const char *command, const char *path, const char **files, int *count);
// Whether -o, if it is given, is a figure that can be drawn.
bool request_figure(const Arguments *arguments, const char *command);
// As many threads as there are processors.
int request_jobs(void);

#endif
