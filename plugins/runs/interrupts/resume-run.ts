import { findProblems } from '#core/json-schema/find-problems.ts'
import type { Caller } from '#core/cluster/caller.ts'
import { accountActor } from '#core/event-store/event.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Store } from '#core/event-store/store.ts'
import { guardrailInterruptPrefix } from '#schemas/runs/run.ts'
import type { Decision, Interrupt, Resolution } from '#schemas/runs/run.ts'
import { decideResume } from '../lifecycle/decide.ts'
import type { ResolvedInterrupt, RunFact, RunFacts } from '../lifecycle/decide.ts'
import type { ResumeAnswer } from '../contract/caller-runs.ts'
import { readRunContent } from '../store/reads.ts'
import { saveResolution } from '../store/internal/content.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import type { RunChange, RunWriter } from '../lifecycle/run-writer.ts'
import { runErrors } from '../contract/errors.ts'

/** Dependencies of `resumeRun`. */
export interface ResumeServices {
  readonly core: { readonly now: () => Date }
  readonly store: Store
  readonly writer: RunWriter
}

/** Answers an interrupt of a paused run as the caller. The decision is stored with the run, in its event and in the audit log. */
export async function resumeRun(
  { core, store, writer }: ResumeServices,
  caller: Pick<Caller, 'username'>,
  { id }: Pick<SelectedRun, 'id'>,
  given: ResumeAnswer,
): Promise<void> {
  const answer = withPlainReason(given)
  const content = await readRunContent(store.reader<RunsTables>(), { id })
  await writer.change(id, { actor: accountActor(caller.username) }, (facts, { run }) => {
    const by = { username: caller.username, at: core.now().toISOString() }
    return toResumeChange({ facts, run, answer, by }, (interruptId) =>
      checkSchema(
        content?.interrupts.find((one) => one.id === interruptId),
        answer,
      ),
    )
  })
}

/** An answer to an interrupt of a run, and who gave it. */
export interface GivenAnswer {
  readonly facts: RunFacts
  readonly run: Pick<SelectedRun, 'id' | 'subject'>
  readonly answer: ResumeAnswer
  readonly by: { readonly username: string; readonly at: string }
}

/** The change of a run by an answer. `check` may refuse the answer to the interrupt. */
export function toResumeChange(
  { facts, run, answer, by }: GivenAnswer,
  check: (interruptId: string) => void = () => undefined,
): RunChange {
  const [resolved, ...rest] = decideResume(facts, answer)
  if (resolved?.fact !== 'interrupt-resolved') throw new Fail(runErrors.run_not_paused)
  check(resolved.interruptId)
  const decision = toDecision(resolved, answer, by)
  const { onReject: _, ...forAgent } = answer
  const resolution: Resolution = { ...forAgent, interruptId: resolved.interruptId }
  const message = rejection(resolved, by.username)
  return {
    facts: [{ ...resolved, subject: run.subject }, ...rest],
    content: { 'interrupt-resolved': contentOf(decision), rejected: { message }, failed: { message } },
    contentBytes: Buffer.byteLength(JSON.stringify([resolution, decision])),
    ...(endsRun(rest) ? { stored: { error: message } } : {}),
    also: (db) => saveResolution(db, run.id, resolution, decision),
  }
}

function endsRun(facts: readonly RunFact[]): boolean {
  return facts.some(({ fact }) => fact === 'rejected' || fact === 'failed')
}

/** Message of a rejected run: decider, tool and reason. */
function rejection({ interruptId, tool, decisionReason }: ResolvedInterrupt, username: string): string {
  const isGuardrail = interruptId.startsWith(guardrailInterruptPrefix)
  const what = `${username} rejected ${tool ?? (isGuardrail ? 'the model call' : 'the question')}`
  return decisionReason === undefined ? what : `${what}: ${decisionReason}`
}

function toDecision(
  resolved: ResolvedInterrupt,
  answer: ResumeAnswer,
  by: { readonly username: string; readonly at: string },
): Decision {
  return {
    interruptId: resolved.interruptId,
    tool: resolved.tool ?? null,
    decision: resolved.decision,
    by: by.username,
    at: by.at,
    ...(resolved.decisionReason === undefined ? {} : { reason: resolved.decisionReason }),
    ...(answer.arguments === undefined ? {} : { arguments: answer.arguments }),
    ...(resolved.onReject === undefined ? {} : { onReject: resolved.onReject }),
  }
}

// The entry already has the fields of the fact.
function contentOf({ by, arguments: edited }: Decision): Readonly<Record<string, unknown>> {
  return edited === undefined ? { by } : { by, arguments: edited }
}

/** Validates edited arguments by the schema of the call, and an answer by the schema of the question. */
function checkSchema(interrupt: Interrupt | undefined, { arguments: edited, payload }: ResumeAnswer): void {
  if (edited !== undefined && interrupt?.schema === undefined)
    throw refuse([{ pointer: '/arguments', detail: 'cannot be edited: the agent provided no schema for them' }])
  const isQuestion = interrupt?.reason === 'input_required'
  const problems = [
    ...(edited === undefined ? [] : findProblems({ value: edited, schema: interrupt?.schema, pointer: '/arguments' })),
    ...(isQuestion && payload !== undefined
      ? findProblems({ value: payload, schema: interrupt.schema, pointer: '/payload' })
      : []),
  ]
  if (problems.length > 0) throw refuse(problems)
}

function refuse(errors: readonly { readonly pointer: string; readonly detail: string }[]): Fail {
  return new Fail('invalid_body', undefined, { errors })
}

// One line of printable text, since it is shown in logs, tables and terminals.
function withPlainReason(answer: ResumeAnswer): ResumeAnswer {
  if (answer.reason === undefined) return answer
  const { reason, ...rest } = answer
  const plain = reason
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/\p{C}/gu, '')
    .trim()
  return plain === '' ? rest : { ...rest, reason: plain }
}
