import { Type } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { durationBounds } from '../values/duration.ts'
import { durationText } from '../kinds/parts.ts'
import { RunId } from '../names/run-id.ts'
import { shownAs } from '../values/shown-as.ts'
import { anyValue, listOf, pageQuery, time, timeOrNull } from './common.ts'
import { RunEvent, TreeNode } from './run-events.ts'
import { agentOfRun, FailReason, PauseReason, RunError, RunState, Usage } from './runs.ts'
import { RunParams } from './run-requests.ts'

const strict = { additionalProperties: false }

/** Why a share has no content. */
export const contentReasons = ['request', 'trace_policy', 'trace_policy_unreadable', 'trace_policy_invalid'] as const
/** One of `contentReasons`. */
export type ContentReason = (typeof contentReasons)[number]

/** Limits of the removals in a request. */
export const redactionBounds = { names: 16, name: 256 } as const

/** Content that a share shows; the agent's trace policy may only remove more. */
export const ShareRedactionInput = Type.Object(
  {
    content: Type.Optional(
      Type.Enum(['full', 'none'], {
        default: 'full',
        description: 'none: names, times, states and counts only; no input, output, message or tool argument.',
      }),
    ),
    redact: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: redactionBounds.name }), {
        maxItems: redactionBounds.names,
        description:
          'What is removed from every text, besides secrets: email, phone, credit_card, iban, us_ssn, ip_address, or a pattern of RE2.',
      }),
    ),
  },
  {
    ...strict,
    title: 'ShareRedactionInput',
    description: 'What the share leaves out; the trace policy of the agent may leave out more.',
  },
)

/** Body of `POST /api/runs/{id}/shares`. */
export const ShareInput = Type.Object(
  {
    expiresIn: Type.Optional(durationText(durationBounds.share, 'Validity. Defaults to 7d.')),
    maxViews: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Number of reads after which the share expires.' }),
    ),
    redaction: Type.Optional(ShareRedactionInput),
  },
  { ...strict, title: 'ShareInput' },
)

/** Whether a share has content, and why it has none. */
const redaction = Type.Object(
  {
    content: described(Type.Enum(['full', 'none']), 'Whether input, output, messages and arguments are shown.', 'full'),
    reason: exemplified(
      Type.Union([Type.Enum([...contentReasons]), Type.Null()], {
        description:
          'Why there is no content: the request, the trace policy of the agent, or that it cannot be applied.',
      }),
      null,
    ),
  },
  { title: 'ShareRedaction', description: 'Whether the share has content, and why it has none.' },
)

const shareId = Type.String({
  format: 'uuid',
  description: 'UUIDv7 of the share.',
  examples: ['0198c3f0-6f2a-7c1d-9b1e-5a4d3c2b1a08'],
})

/** Response of `POST /api/runs/{id}/shares`: the only one with the token. */
export const CreatedShare = Type.Object(
  {
    id: shareId,
    token: Type.String({
      description: 'Shown only in this response. Anyone who has it can read the share.',
      examples: ['mesh_share_invented'],
    }),
    url: Type.String({
      description: 'URL of the share below `sharing.publicUrl`, or its path without that setting.',
      examples: ['/api/shared/runs/mesh_share_invented'],
    }),
    expiresAt: described(time, 'Expiry time of the share.'),
    redaction,
  },
  { title: 'CreatedShare' },
)

/** A share, without its token. */
export const Share = Type.Object(
  {
    id: shareId,
    runId: RunId,
    namespace: Type.String({ description: 'Namespace of the run.', examples: ['default'] }),
    agent: described(
      Type.Union([Type.String(), Type.Null()]),
      'Name of the agent; null for a run of the platform itself.',
      'hello',
    ),
    createdBy: Type.String({ description: 'User who created the share.', examples: ['ada@example.com'] }),
    createdAt: described(time, 'Creation time.'),
    expiresAt: described(time, 'Expiry time of the share.'),
    views: Type.Integer({ description: 'Number of reads.', examples: [2] }),
    maxViews: described(
      Type.Union([Type.Integer(), Type.Null()]),
      'Number of reads after which the share expires; null: not limited.',
      10,
    ),
    redaction,
  },
  { title: 'Share' },
)

/** A page of shares, newest first. */
export const ShareList = listOf(Share)

/** Query of the lists of shares. */
export const ShareListQuery = Type.Object(pageQuery, strict)

/** Path of a share; any string, since a malformed id gets the response for an unknown one. */
export const ShareParams = Type.Object({
  ...RunParams.properties,
  shareId: shownAs(Type.String({ maxLength: 1024 }), shareId),
})

/** Path of a shared run; any string, since a malformed token gets the response for an unknown one. */
export const TokenParams = Type.Object({
  token: shownAs(Type.String({ maxLength: 1024 }), Type.String({ description: 'Token of the share.' })),
})

/** The visible part of a shared run: no user, label, conversation or trace. */
const sharedRun = Type.Object(
  {
    id: RunId,
    agent: agentOfRun,
    state: RunState,
    pauseReason: described(Type.Union([PauseReason, Type.Null()]), 'Why the run was paused; null unless it was.', null),
    failReason: described(
      Type.Union([FailReason, Type.Null()]),
      'Why the run failed or was rejected; null unless it did.',
      null,
    ),
    input: Type.Optional(exemplified({ ...anyValue, description: 'Absent without content.' }, 'My name is Ada.')),
    output: Type.Optional(exemplified({ ...anyValue, description: 'Absent without content.' }, 'Good day, Ada.')),
    error: described(
      Type.Union([RunError, Type.Null()]),
      'Error of the run; null unless it failed, was rejected or timed out.',
      null,
    ),
    usage: Usage,
    createdAt: described(time, 'Time when the run was accepted.'),
    startedAt: described(timeOrNull, 'Time of the first invocation of the agent; null before.'),
    finishedAt: described(timeOrNull, 'Time of the outcome; null before.'),
  },
  { title: 'SharedRunState', description: 'The run, without user, labels, conversation and trace.' },
)

/** Response of `GET /api/shared/runs/{token}`: the run as it was when it was shared. */
export const SharedRun = Type.Object(
  {
    run: sharedRun,
    tree: described(Type.Object({ root: TreeNode }), 'Tree of the run.'),
    sharedAt: described(time, 'Time at which the run was shared.'),
    expiresAt: described(time, 'Expiry time of the share.'),
    redaction,
    truncated: Type.Boolean({
      description: 'True if the journal of the run was too long; its beginning is here.',
      examples: [false],
    }),
    events: described(Type.Array(RunEvent), 'Journal of the run, oldest entry first.'),
  },
  { title: 'SharedRun' },
)
