import type { InvokeResult, LauncherEntry } from '#schemas/runs/run.ts'
import { toPreview } from '../../previews/to-preview.ts'
import { unrestricted } from '../../previews/preview-rule.ts'
import type { PreviewRule } from '../../previews/preview-rule.ts'
import { decideResult } from '../../lifecycle/decide.ts'
import type { RunFact, RunFacts } from '../../lifecycle/decide.ts'
import type { OutcomeContent } from '../../store/internal/write-run.ts'
import type { Claim } from '../../store/internal/lease.ts'
import type { SelectedRun } from '../../contract/tables.ts'
import { workerAuthor } from '../../lifecycle/run-writer.ts'
import type { RunChange } from '../../lifecycle/run-writer.ts'
import type { WorkerServices } from './worker-services.ts'
import { readResult } from '../entries/read-result.ts'

/** Whether an entry of a launcher is the result of the segment. */
export function isResult({ kind }: LauncherEntry): boolean {
  return resultKinds.has(kind)
}

/** The result in a batch of entries: the data of the last `run.*` entry of the launcher. */
export function resultOf(entries: readonly LauncherEntry[]): InvokeResult | undefined {
  const last = entries.findLast(isResult)
  return last && readResult(last.data, last.kind)
}

const resultKinds = new Set(['run.succeeded', 'run.failed', 'run.cancelled', 'run.timed_out', 'run.paused'])

/** Commits the result of an executor. */
export async function recordResult(
  services: WorkerServices,
  { claim, run }: { readonly claim: Claim; readonly run: SelectedRun },
  result: InvokeResult,
): Promise<void> {
  const preview = await previewOf(result, unrestricted)
  await services.writer.change(run.id, workerAuthor(claim, run), (facts) => toResultChange(facts, result, preview))
}

/** The result of a segment as a change: state, outcome and, for a pause, the questions and the checkpoint of the agent. */
export function toResultChange(run: RunFacts, result: InvokeResult, preview: string | null): RunChange {
  return {
    facts: decideResult(run, result),
    content: contentOf(result),
    contentBytes: bytesOf(result),
    stored: toStored(result, preview),
  }
}

/** The preview of a result's output; null for a result without one. */
export async function previewOf(result: InvokeResult | undefined, rule: PreviewRule): Promise<string | null> {
  return result?.state === 'succeeded' ? toPreview(result.output, rule) : null
}

function toStored(result: InvokeResult, outputPreview: string | null): OutcomeContent {
  if (result.state === 'succeeded') return { output: result.output, outputPreview }
  if (result.state === 'failed' || result.state === 'timed_out') return { error: result.message }
  return result.state === 'paused' ? { interrupts: result.interrupts, checkpoint: result.checkpoint } : {}
}

// Bytes of the content row, beside the journal entry with the same data.
function bytesOf(result: InvokeResult): number {
  if (result.state === 'succeeded') return jsonBytes(result.output)
  if (result.state === 'failed' || result.state === 'timed_out') return Buffer.byteLength(result.message ?? '')
  return result.state === 'paused' ? jsonBytes(result.interrupts) + jsonBytes(result.checkpoint) : 0
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value ?? null))
}

function contentOf(result: InvokeResult): Partial<Record<RunFact['fact'], Readonly<Record<string, unknown>>>> {
  if (result.state === 'succeeded') return { succeeded: { output: result.output } }
  if (result.state === 'failed') return { failed: { message: result.message } }
  if (result.state === 'timed_out' && result.message !== undefined) return { 'timed-out': { message: result.message } }
  if (result.state === 'paused') return { paused: { interrupts: result.interrupts } }
  return {}
}
