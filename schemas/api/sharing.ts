import { Type } from 'typebox'
import { durationBounds } from '../duration.ts'
import { durationText } from '../parts.ts'
import { RunId } from '../run-id.ts'
import { shownAs } from '../shown-as.ts'
import { anyValue, listOf, pageQuery, time, timeOrNull } from './common.ts'
import { RunEvent, TreeNode } from './run-events.ts'
import { FailReason, PauseReason, RunError, RunParams, RunState, Usage } from './runs.ts'

const strict = { additionalProperties: false }

/** Why a share holds no content. */
export const contentReasons = ['request', 'trace_policy', 'trace_policy_unreadable', 'trace_policy_invalid'] as const
/** One of `contentReasons`. */
export type ContentReason = (typeof contentReasons)[number]

/** Bounds of what a request may remove. */
export const redactionBounds = { names: 16, name: 256 } as const

/** What a share shows, beyond which the agent's trace policy may only remove more. */
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
  { ...strict, title: 'ShareRedactionInput' },
)

/** Body of `POST /api/runs/{id}/shares`. */
export const ShareInput = Type.Object(
  {
    expiresIn: Type.Optional(durationText(durationBounds.share, 'Validity; 7d when absent.')),
    maxViews: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Reads after which the share is gone.' }),
    ),
    redaction: Type.Optional(ShareRedactionInput),
  },
  { ...strict, title: 'ShareInput' },
)

/** Whether a share has content, and why it has none. */
const redaction = Type.Object(
  {
    content: Type.Enum(['full', 'none']),
    reason: Type.Union([Type.Enum([...contentReasons]), Type.Null()], {
      description: 'Why there is no content: the request, the trace policy of the agent, or that it cannot be applied.',
    }),
  },
  { title: 'ShareRedaction' },
)

const shareId = Type.String({ format: 'uuid', description: 'UUIDv7 of the share.' })

/** Answer of `POST /api/runs/{id}/shares`: the only one with the token. */
export const CreatedShare = Type.Object(
  {
    id: shareId,
    token: Type.String({ description: 'Shown only here; everyone with it may read the share.' }),
    url: Type.String({
      description: 'Address of the share below `sharing.publicUrl`, or its path without that setting.',
    }),
    expiresAt: time,
    redaction,
  },
  { title: 'CreatedShare' },
)

/** A share, without its token. */
export const Share = Type.Object(
  {
    id: shareId,
    runId: RunId,
    namespace: Type.String(),
    agent: Type.Union([Type.String(), Type.Null()]),
    createdBy: Type.String(),
    createdAt: time,
    expiresAt: time,
    views: Type.Integer({ description: 'Number of reads.' }),
    maxViews: Type.Union([Type.Integer(), Type.Null()]),
    redaction,
  },
  { title: 'Share' },
)

/** A page of shares, newest first. */
export const ShareList = listOf(Share)

/** Query of the lists of shares. */
export const ShareListQuery = Type.Object(pageQuery, strict)

/** Path of a share; any text, since a malformed id is answered as an unknown one. */
export const ShareParams = Type.Object({
  ...RunParams.properties,
  shareId: shownAs(Type.String({ maxLength: 1024 }), shareId),
})

/** Path of a shared run; any text, since a malformed token is answered as an unknown one. */
export const TokenParams = Type.Object({
  token: shownAs(Type.String({ maxLength: 1024 }), Type.String({ description: 'Token of the share.' })),
})

/** What a shared run shows of the run: no user, label, conversation or trace. */
const sharedRun = Type.Object(
  {
    id: RunId,
    agent: Type.Union([
      Type.Object({
        namespace: Type.String(),
        name: Type.String(),
        revision: Type.Union([Type.Integer(), Type.Null()]),
      }),
      Type.Null(),
    ]),
    state: RunState,
    pauseReason: Type.Union([PauseReason, Type.Null()]),
    failReason: Type.Union([FailReason, Type.Null()]),
    input: Type.Optional({ ...anyValue, description: 'Absent without content.' }),
    output: Type.Optional({ ...anyValue, description: 'Absent without content.' }),
    error: Type.Union([RunError, Type.Null()]),
    usage: Usage,
    createdAt: time,
    startedAt: timeOrNull,
    finishedAt: timeOrNull,
  },
  { title: 'SharedRunState' },
)

/** Answer of `GET /api/shared/runs/{token}`: the run as it was when it was shared. */
export const SharedRun = Type.Object(
  {
    run: sharedRun,
    tree: Type.Object({ root: TreeNode }),
    sharedAt: time,
    expiresAt: time,
    redaction,
    truncated: Type.Boolean({ description: 'True if the journal of the run was too long; its beginning is here.' }),
    events: Type.Array(RunEvent),
  },
  { title: 'SharedRun' },
)
