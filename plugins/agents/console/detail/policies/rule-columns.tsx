import type { Static } from 'typebox'
import type { EffectiveGuardrail, EffectiveLimit, EffectiveQuota, RuleSource } from '#schemas/api/effective-rules.ts'
import { toMoney } from '#ui/parts/format/money.ts'
import { UNKNOWN } from '#ui/parts/format/unknown.ts'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { policiesText as text } from './text.ts'

const { columns: titles } = text

/** Columns of the guardrails that apply. */
export const guardrailColumns: readonly DataColumn<EffectiveGuardrail>[] = [
  { title: titles.name, cell: (policy) => <PolicyName policy={policy} /> },
  { title: titles.rules, isWide: true, cell: ({ rules }) => <span dir="auto">{rulesOf(rules)}</span> },
  { title: titles.from, rank: 2, cell: ({ from }) => <WrittenIn from={from} /> },
]

/** Columns of the quotas that apply. */
export const quotaColumns: readonly DataColumn<EffectiveQuota>[] = [
  { title: titles.spend, cell: ({ spend }) => spendOf(spend) },
  { title: titles.calls, isWide: true, cell: (quota) => callsOf(quota) },
  { title: titles.from, rank: 2, cell: ({ from }) => <WrittenIn from={from} /> },
]

/** Columns of the limits of runs. */
export const limitColumns: readonly DataColumn<EffectiveLimit>[] = [
  { title: titles.limit, cell: ({ name }) => text.names[name] ?? name },
  { title: titles.value, isWide: true, cell: ({ value }) => <span className="num">{value}</span> },
  { title: titles.from, rank: 2, cell: ({ from }) => <WrittenIn from={from} /> },
]

function PolicyName({ policy: { namespace, name, found } }: { readonly policy: EffectiveGuardrail }) {
  return (
    <span className="row">
      <b dir="auto">{`${namespace}/${name}`}</b>
      {found === false ? <Tag tone="bad">{text.missing}</Tag> : undefined}
    </span>
  )
}

function rulesOf(rules: EffectiveGuardrail['rules']): string {
  if (rules === null) return text.unknownRules
  return rules.map(({ name, action }) => `${name}: ${action}`).join(', ')
}

function spendOf(spend: EffectiveQuota['spend']): string {
  return spend === null ? UNKNOWN : text.spendIn(toMoney(spend.amount, spend.currency), spend.window)
}

function callsOf({ requestsPerMinute: perMinute, concurrency: atOnce }: EffectiveQuota): string {
  const calls = [
    ...(perMinute === null ? [] : [text.perMinute(perMinute)]),
    ...(atOnce === null ? [] : [text.atOnce(atOnce)]),
  ]
  return calls.length === 0 ? UNKNOWN : calls.join(', ')
}

function WrittenIn({ from: { kind, name, field } }: { readonly from: Static<typeof RuleSource> }) {
  if (name === null) return <span className="faint">{text.standard}</span>
  return (
    <span className="dim" dir="auto">
      {`${kind} ${name}, `}
      <span className="mono">{field}</span>
    </span>
  )
}
