import type { Summary } from '#schemas/api/overview.ts'
import type { IconName } from '#ui/parts/icon/icons.ts'
import { toPercent } from '#ui/parts/format/counts.ts'
import { homeText } from './text.ts'

const { attention: text } = homeText

/** Something that needs a person, with what to do about it. */
export interface AttentionRow {
  readonly id: string
  readonly icon: IconName
  readonly tone: 'bad' | 'wait' | 'warn'
  readonly title: string
  readonly why: string
  readonly since: string | null
  readonly act: string
  readonly to: string
}

/** What needs a person: failures first, then decisions, then what is not ready. */
export function attentionOf({ waiting, unwell }: Summary): readonly AttentionRow[] {
  return [
    ...(unwell.failing?.items ?? []).map(toFailing),
    ...waitingRuns(waiting.runs),
    ...(unwell.agents?.items ?? []).map(toUnready),
    ...changedServers(waiting.manifests),
  ]
}

/** Rows in their order, those that are bad before the others. */
export function urgentFirst(rows: readonly AttentionRow[]): readonly AttentionRow[] {
  return rows.toSorted((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad'))
}

/** How many the summary counted, and did not name. */
export function unnamedOf({ unwell: { failing, agents } }: Summary): number {
  const rest = (part: { readonly count: number; readonly items: readonly unknown[] } | null): number =>
    part === null ? 0 : Math.max(0, part.count - part.items.length)
  return rest(failing) + rest(agents)
}

/** Whether the caller may list nothing that could need attention. */
export function seesNothing({ waiting, unwell }: Summary): boolean {
  return [waiting.runs, waiting.manifests, unwell.agents, unwell.failing].every((part) => part === null)
}

type Failing = NonNullable<Summary['unwell']['failing']>['items'][number]
type Unready = NonNullable<Summary['unwell']['agents']>['items'][number]

function toFailing({ namespace, name, runs, failed }: Failing): AttentionRow {
  return {
    id: `failing ${namespace}/${name}`,
    icon: 'alert',
    tone: 'bad',
    title: text.fails(name, toPercent(failed / runs)),
    why: text.failsWhy(failed, runs),
    since: null,
    act: text.seeFailed,
    to: `/runs?${new URLSearchParams({ namespace, agent: name, state: 'failed,timed_out,rejected' }).toString()}`,
  }
}

function waitingRuns(runs: Summary['waiting']['runs']): readonly AttentionRow[] {
  const [oldest] = runs?.items ?? []
  if (runs === null || oldest === undefined) return []
  return [
    {
      id: 'waiting',
      icon: 'waiting',
      tone: 'wait',
      title: text.waits(runs.count),
      why: text.waitsWhy(oldest.agent ?? text.noAgent, oldest.reason.replaceAll('_', ' ')),
      since: oldest.since,
      act: text.review,
      to: '/approvals',
    },
  ]
}

function toUnready(unready: Unready): AttentionRow {
  const { namespace, name, condition, reason, ready, since } = unready
  const address = `/agents/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`
  const isHeld = condition === 'EvalGated'
  const reference = wordsOfReference(unready)
  const shared = { id: `unready ${namespace}/${name}`, icon: 'hourglass', tone: 'warn', since } as const
  if (reference !== undefined)
    return {
      ...shared,
      icon: 'alert',
      title: reference,
      why: text.servesWhy(ready),
      act: text.openAgent,
      to: address,
    }
  // An earlier version serves, or would: comparing it with the newest one leads to the roll back.
  if (isHeld || ready)
    return {
      ...shared,
      title: isHeld ? text.held(name) : text.failsToStart(name),
      why: text.heldWhy(reason, ready),
      act: text.compare,
      to: `${address}?tab=versions`,
    }
  return { ...shared, title: text.unready(name), why: reason, act: text.openAgent, to: address }
}

function wordsOfReference({ namespace, name, reason, reference }: Unready): string | undefined {
  if (!Object.hasOwn(text.references, reason)) return undefined
  const words = text.references[reason as keyof typeof text.references]
  if (reference === null) return words(name, text.anObject)
  const target = reference.namespace === namespace ? reference.name : `${reference.namespace}/${reference.name}`
  return words(name, `${reference.kind} ${target}`)
}

function changedServers(servers: Summary['waiting']['manifests']): readonly AttentionRow[] {
  const [first] = servers?.items ?? []
  if (servers === null || first === undefined) return []
  return [
    {
      id: 'manifests',
      icon: 'server',
      tone: 'warn',
      title: text.manifests(servers.count),
      why: text.manifestsWhy(first.name),
      since: first.since,
      act: text.see,
      to: '/mcpapprovals',
    },
  ]
}

let quietSince: number | undefined

/** Since when this page has seen nothing that needs a person. */
export function noteQuiet(isQuiet: boolean, now: number): number {
  quietSince = isQuiet ? (quietSince ?? now) : undefined
  return quietSince ?? now
}
