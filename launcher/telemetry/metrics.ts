import type { Finding } from '#core/guardrails/guard.ts'
import { defineCounter, defineGauge } from '#core/telemetry/metrics.ts'
import type { MetricPoint } from '#core/telemetry/otlp-metrics.ts'
import type { RefusalCode } from '../contract/http/refusal.ts'

/** Metrics of a launcher, pushed by OTLP; no port serves them (ADR 0034). */
export const launcherMetrics = {
  runs: defineCounter({
    name: 'mesh_launcher_runs_total',
    help: 'Ended attempts of runs, by state; includes paused attempts.',
    labels: ['state'],
    roles: ['launcher'],
  }),
  refusals: defineCounter({
    name: 'mesh_launcher_refusals_total',
    help: 'Refused requests, by listener and error code.',
    labels: ['listener', 'code'],
    roles: ['launcher'],
  }),
  guardrails: defineCounter({
    name: 'mesh_launcher_guardrail_decisions_total',
    help: 'Matches of guardrail rules, by policy (namespace/name), stage and action.',
    labels: ['policy', 'stage', 'action'],
    roles: ['launcher'],
  }),
  recorded: defineCounter({
    name: 'mesh_launcher_recording_parts_total',
    help: 'Parts of recordings by outcome: stored, dropped (overload), refused (quota, no store) or failed.',
    labels: ['outcome'],
    roles: ['launcher'],
  }),
  droppedSpans: defineCounter({
    name: 'mesh_launcher_spans_dropped_total',
    help: 'Spans that did not reach a destination, by source: launcher, or agent (the ports of the collector).',
    labels: ['source'],
    roles: ['launcher'],
  }),
  active: defineGauge({
    name: 'mesh_launcher_runs_active',
    help: 'Active runs.',
    labels: [],
    roles: ['launcher'],
  }),
  journalBytes: defineGauge({
    name: 'mesh_launcher_journal_bytes',
    help: 'Memory of journals and unacknowledged results.',
    labels: [],
    roles: ['launcher'],
  }),
  resident: defineGauge({
    name: 'mesh_launcher_resident_memory_bytes',
    help: 'Resident memory of the launcher process.',
    labels: [],
    roles: ['launcher'],
  }),
}

/** Counters of one launcher. */
export interface LauncherMeter {
  ended(state: string): void
  /** Refused requests; default: one. */
  refused(listener: string, code: RefusalCode, requests?: number): void
  /** Spans that did not reach a destination. */
  dropped(source: 'launcher' | 'agent', spans: number): void
  /** Matches of rules in one check. */
  guarded(findings: readonly Finding[]): void
  recorded(outcome: string): void
  /** Returns all series; none before the first run or refusal, so that an idle launcher opens no connection. */
  collect(now: { readonly active: number; readonly journalBytes: number }): readonly MetricPoint[]
}

/** Creates the meter; counters start at zero. */
export function createLauncherMeter(): LauncherMeter {
  const { runs, refusals, guardrails, recorded, droppedSpans, active, journalBytes, resident } = launcherMetrics
  const counts = new Map<string, MetricPoint>()
  const count = (spec: MetricPoint['spec'], labels: MetricPoint['labels'], by = 1): void => {
    const key = JSON.stringify([spec.name, labels])
    counts.set(key, { spec, labels, value: (counts.get(key)?.value ?? 0) + by })
  }
  return {
    ended: (state) => count(runs, { state }),
    refused: (listener, code, requests = 1) => count(refusals, { listener, code }, requests),
    dropped: (source, spans) => count(droppedSpans, { source }, spans),
    recorded: (outcome) => count(recorded, { outcome }),
    guarded: (findings) => {
      for (const { policy, stage, action, count: by } of findings) count(guardrails, { policy, stage, action }, by)
    },
    collect: (now) => {
      if (counts.size === 0 && now.active === 0) return []
      return [
        ...counts.values(),
        { spec: active, labels: {}, value: now.active },
        { spec: journalBytes, labels: {}, value: now.journalBytes },
        { spec: resident, labels: {}, value: process.memoryUsage.rss() },
      ]
    },
  }
}
