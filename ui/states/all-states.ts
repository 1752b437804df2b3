import { bulkStates } from '../parts/bulk/bulk.states.tsx'
import { contentStates } from '../parts/content/content.states.tsx'
import { controlStates } from '../parts/control/control.states.tsx'
import { documentStates } from '../parts/document/document.states.tsx'
import { figureStates } from '../parts/figure/figure.states.tsx'
import { filterStates } from '../parts/filter/filter.states.tsx'
import { formStates } from '../parts/form/form.states.tsx'
import { overlayStates } from '../parts/overlay/overlay.states.tsx'
import { pageStates } from '../parts/page/page.states.tsx'
import type { PartStates } from '../parts/part-states.ts'
import { runStateExamples } from '../parts/run/run.states.tsx'
import { stateStates } from '../parts/state/state.states.tsx'
import { statusStates } from '../parts/status/status.states.tsx'
import { tableStates } from '../parts/table/table.states.tsx'
import { topologyStates } from '../parts/topology/topology.states.tsx'
import { traceStates } from '../parts/trace/trace.states.tsx'
import { valueStates } from '../parts/value/value.states.tsx'

/** The parts with their states, in the order of the page. */
export const allStates: readonly PartStates[] = [
  ...statusStates,
  ...valueStates,
  ...controlStates,
  ...tableStates,
  ...bulkStates,
  ...filterStates,
  ...stateStates,
  ...overlayStates,
  ...figureStates,
  ...pageStates,
  ...contentStates,
  ...documentStates,
  ...formStates,
  ...traceStates,
  ...topologyStates,
  ...runStateExamples,
]
