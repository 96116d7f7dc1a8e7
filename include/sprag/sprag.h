// sprag.h: everything.
#ifndef SPRAG_H
#define SPRAG_H

#include "sprag/analysis.h"
#include "sprag/base.h"
#include "sprag/bundle.h"
#include "sprag/collide.h"
#include "sprag/complementarity.h"
#include "sprag/compliance.h"
#include "sprag/contact.h"
#include "sprag/dynamics.h"
#include "sprag/friction.h"
#include "sprag/impact.h"
#include "sprag/integrate.h"
#include "sprag/model.h"
#include "sprag/motion.h"
#include "sprag/numeric.h"
#include "sprag/output.h"
#include "sprag/record.h"
#include "sprag/report.h"
#include "sprag/scalar.h"
#include "sprag/scalar_run.h"
#include "sprag/scene.h"
#include "sprag/serve.h"
#include "sprag/sparse.h"
#include "sprag/sweep.h"
#include "sprag/vector.h"

#endif
