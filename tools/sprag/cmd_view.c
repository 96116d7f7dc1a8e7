// cmd_view.c: sprag view: a scene live in a browser, or the page of a run.
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interrupt.h"
#include "sprag/serve.h"
#include "tool.h"

static const char description[] =
    "Serves the scene on the loopback interface and simulates as it plays: sliders for the\n"
    "scene's parameters, pause, single steps, any speed, reset; Ctrl-drag pulls a body with a\n"
    "spring. The address is printed, with a token that only who reads it knows; other hosts and\n"
    "pages of other origins are refused. It opens in the default browser if there is one.\n"
    "Ctrl-C ends the session. A page that sprag run -o run.html has written is opened as it is.";

static const Option options[] = {
    {"port", 'p', "NUMBER", "port to listen on; any that is free without this", NULL},
    {"no-open", 0, NULL, "print the address, open no browser", NULL},
};

typedef struct Opening {
    bool quiet, open;
} Opening;

// A browser that cannot be started is no failure: the address is printed.
static void open_browser(const char *address)
{
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
        return;
    pid_t child = fork();
    if (child == 0) {
        // its own child, so that nobody waits for the browser
        if (fork() != 0)
            _exit(0);
        int nothing = open("/dev/null", O_RDWR);
        for (int i = 0; i < 3 && nothing >= 0; i++)
            dup2(nothing, i);
        setsid();
        execlp("xdg-open", "xdg-open", address, (char *)NULL);
        _exit(1);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
}

static void say_address(const char *address, void *user)
{
    const Opening *opening = user;
    printf("%s\n", address);
    fflush(stdout);
    if (!opening->quiet)
        fprintf(stderr, "The session ends with Ctrl-C.\n");
    if (opening->open)
        open_browser(address);
}

// An address that browsers take, of a file.
static ToolExit open_page(const char *path, const Opening *opening)
{
    char whole[PATH_MAX];
    if (!realpath(path, whole)) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return TOOL_INPUT;
    }
    char address[3 * PATH_MAX + 16];
    size_t at = (size_t)snprintf(address, sizeof address, "file://");
    for (const char *c = whole; *c && at + 4 < sizeof address; c++) {
        bool plain = strchr("/-_.~", *c) || (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') ||
                     (*c >= 'A' && *c <= 'Z');
        at += (size_t)snprintf(address + at, sizeof address - at, plain ? "%c" : "%%%02X",
                               (unsigned)(unsigned char)*c);
    }
    Opening silent = *opening;
    silent.quiet = true;
    say_address(address, &silent);
    return TOOL_DONE;
}

static bool read_port(const Arguments *arguments, int *port)
{
    const char *text = arguments_value(arguments, "port");
    char *end;
    if (!text)
        return true;
    long number = strtol(text, &end, 10);
    if (end == text || *end || number < 0 || number > 65535) {
        fprintf(stderr, "sprag view: --port takes a number from 0 to 65535, not '%.40s'\n", text);
        return false;
    }
    *port = (int)number;
    return true;
}

static ToolExit run(SpragContext *context, const Arguments *arguments)
{
    SpragServeSettings settings = sprag_serve_default();
    Opening opening = {.quiet = arguments->quiet, .open = true};
    const char *path = arguments->positional[0];
    for (int i = 0; i < arguments->given_count; i++)
        if (arguments->given[i].option == &options[1])
            opening.open = false;
    if (!read_port(arguments, &settings.port))
        return TOOL_USAGE;
    if (tool_has_ending(path, ".html"))
        return open_page(path, &opening);
    if (!sprag_serve_is_built()) {
        fprintf(stderr, "sprag view: %s\n", sprag_serve_missing());
        return TOOL_USAGE;
    }
    settings.sets = arguments->sets;
    settings.set_count = arguments->set_count;
    settings.ready = say_address;
    settings.user = &opening;
    settings.interrupt = tool_catch_interrupts();
    SpragStatus status = sprag_serve_scene(context, path, &settings);
    if (status != SPRAG_OK)
        return tool_fail(context, status, status == SPRAG_ERROR_INPUT ? path : NULL);
    return TOOL_DONE;
}

const Command command_view = {
    .rules = {.command = "view",
              .positional = "SCENE",
              .least = 1,
              .most = 1,
              .options = options,
              .option_count = sizeof options / sizeof *options,
              .description = description},
    .summary = "opens the live viewer in a browser, or the page of a run",
    .run = run,
};
