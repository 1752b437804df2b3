import { AG_UI_VERSION } from '#schemas/api/ag-ui.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import type { LiveFrame } from '../contract/live-frame.ts'
import type { AgUiEvent, Events } from './event.ts'
import { mapPause } from './interrupts.ts'
import { createMessageMapper } from './map-messages.ts'
import { createDelegateMapper, createStepMapper } from './map-steps.ts'
import { createToolMapper } from './map-tools.ts'
import { createUsageSum } from './usage.ts'

/** The run of a stream, with the ids that the client uses. */
export interface MappedRun {
  readonly threadId: string
  readonly runId: string
  /** Id assigned by the platform. */
  readonly id: string
  /** Whether the client has declared version 1.0 or later. Earlier clients refuse unknown types. */
  readonly isCurrent: boolean
}

/** Maps the frames of one run, in their order, to events of AG-UI. */
export interface FrameMapper {
  /** Returns the first event of the run, and of each part after a pause. */
  start(): AgUiEvent
  map(frame: LiveFrame): Events
  /** Whether no message or call is open: a reader that continues here has not missed a start event. */
  readonly isSettled: boolean
}

type MapFrame = (frame: LiveFrame) => Events

/**
 * Creates the mapper. Kinds without an equivalent are custom events `mesh.<kind>`; those that only concern the queue are omitted. As the protocol
 * requires, a paused run finishes with its interrupts, and a resumed run starts again.
 */
export function createFrameMapper(run: MappedRun): FrameMapper {
  const { threadId, runId } = run
  const messages = createMessageMapper()
  const tools = createToolMapper()
  const steps = createStepMapper()
  const delegates = createDelegateMapper(run.isCurrent)
  const usage = createUsageSum()
  const start = (): AgUiEvent => ({
    type: 'RUN_STARTED',
    threadId,
    runId,
    protocolVersion: AG_UI_VERSION,
    metadata: { mesh: { runId: run.id } },
  })
  const close = (): Events => [...messages.closeAll(), ...steps.closeAll(), ...delegates.closeAll()]
  const finish = (outcome: object, result?: unknown): Events => [
    ...close(),
    {
      type: 'RUN_FINISHED',
      threadId,
      runId,
      ...(result === undefined ? {} : { result }),
      outcome,
      ...usage.take(),
    },
  ]
  const fail = (code: string, message: unknown): Events => [
    ...close(),
    {
      type: 'RUN_ERROR',
      message: typeof message === 'string' ? message : `The run ended: ${code}.`,
      code,
      ...usage.take(),
    },
  ]
  const custom: MapFrame = ({ kind, data }) => [{ type: 'CUSTOM', name: `mesh.${kind}`, value: data }]
  const maps: Readonly<Record<string, MapFrame>> = {
    'run.resumed': () => [start()],
    'run.cancelling': custom,
    'run.paused': ({ data }) => {
      const { events, interrupts } = mapPause(run.id, data, tools)
      return [...events, ...finish({ type: 'interrupt', interrupts })]
    },
    'run.succeeded': ({ data: { output } }) => {
      // Clients show messages, and an agent that does not stream has sent none.
      const said = !messages.any && typeof output === 'string' && output !== ''
      const shown = said ? messages.whole(`${run.id}-output`, output) : []
      return [...shown, ...finish({ type: 'success' }, output ?? null)]
    },
    'run.failed': ({ data }) => fail(text(data['failReason']) ?? 'agent_error', data['message']),
    'run.rejected': ({ data }) => fail(text(data['failReason']) ?? 'approval_denied', data['message']),
    'run.timed_out': ({ data }) => fail('timed_out', data['message']),
    // Earlier versions read an unknown outcome as a success.
    'run.cancelled': () =>
      run.isCurrent ? finish({ type: 'cancelled' }) : fail('cancelled', 'The run was cancelled.'),
    'step.started': steps.started,
    'step.finished': steps.finished,
    'message.started': ({ data }) => messages.started(data),
    'message.delta': ({ data }) => messages.text(data),
    // `offset` of a snapshot is its length.
    'message.snapshot': ({ data }) => messages.text({ ...data, offset: 0 }),
    'message.finished': ({ data }) => messages.finished(data),
    'tool.started': ({ data }) => tools.started(data),
    'tool.finished': ({ data }) => tools.finished(data),
    'delegate.started': delegates.started,
    'delegate.finished': delegates.finished,
    'usage.reported': ({ data }) => {
      usage.add(data)
      return []
    },
    'guardrail.decided': custom,
    'interrupt.resolved': custom,
  }
  return {
    start,
    map: (frame) => {
      const timestamp = Date.parse(frame.ts)
      const events = Object.hasOwn(maps, frame.kind) ? maps[frame.kind]?.(frame) : undefined
      return (events ?? []).map((event) => ({ ...event, timestamp }))
    },
    get isSettled() {
      return messages.open + steps.open + delegates.open === 0
    },
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Whether the run ends or waits with this frame: nothing follows in the protocol. */
export function endsRun({ kind }: LiveFrame): boolean {
  return kind === 'run.paused' || [...terminalStates].some((state) => kind === `run.${state}`)
}
