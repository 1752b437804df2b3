import type { KindObject } from '#ui/kinds/kind-object.ts'

/** State of the circuit of a target; unknown until a gateway has reported it. */
export type DrawnCircuit = 'closed' | 'half-open' | 'open' | 'unknown'

/** A provider and its model, as a route calls it. */
export interface DrawnTarget {
  readonly namespace: string
  readonly provider: string
  readonly model: string
  /** From 0 to 1, of the calls that no failure has moved. */
  readonly share: number
  /** The worst one that a gateway reports. */
  readonly circuit: DrawnCircuit
  /** Gateways that report it, and those of them whose circuit is not closed. */
  readonly gateways: { readonly all: number; readonly open: number }
  readonly lastErrorClass: string | undefined
  readonly prices: RoutePrices | undefined
}

/** Prices of a target, as decimal strings. */
export interface RoutePrices {
  readonly inputPerMillion?: string
  readonly outputPerMillion?: string
}

/** Where calls of a route go: at first, and after a failure. */
export interface RoutePlan {
  readonly targets: readonly DrawnTarget[]
  readonly fallbacks: readonly DrawnTarget[]
}

interface TargetSpec {
  readonly providerRef?: { readonly name?: string; readonly namespace?: string }
  readonly model?: string
  readonly weight?: unknown
  readonly prices?: RoutePrices
}

interface RouteFields extends TargetSpec {
  readonly targets?: readonly TargetSpec[]
  readonly fallbacks?: readonly TargetSpec[]
}

interface ReportedTarget {
  readonly provider?: string
  readonly model?: string
  readonly circuit?: string
  readonly lastErrorClass?: string
}

/** The plan of a route: of its targets by their weights, or of its one provider. Pure. */
export function toRoutePlan({ metadata: { namespace = '' }, spec, status }: KindObject): RoutePlan {
  const route = (spec ?? {}) as RouteFields
  const reported = listOf((status as { readonly targets?: readonly ReportedTarget[] } | undefined)?.targets)
  const targets = listOf(route.targets)
  const shared = targets.length > 0 ? targets : route.providerRef === undefined ? [] : [route]
  const weights = shared.map(({ weight = 1 }) => (targets.length > 0 ? Math.max(0, Number(weight) || 0) : 1))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  const plan = (one: TargetSpec, share: number): DrawnTarget => {
    const { name: provider = '', namespace: place = namespace } = one.providerRef ?? {}
    const model = one.model ?? ''
    const seen = reported.filter((its) => its.provider === `${place}/${provider}` && its.model === model)
    return { namespace: place, provider, model, share, prices: one.prices, ...healthOf(seen) }
  }
  return {
    targets: shared.map((one, index) => plan(one, sum === 0 ? 0 : (weights[index] ?? 0) / sum)),
    fallbacks: listOf(route.fallbacks).map((one) => plan(one, 0)),
  }
}

const worstFirst: readonly DrawnCircuit[] = ['open', 'half-open', 'closed']

function healthOf(seen: readonly ReportedTarget[]): Pick<DrawnTarget, 'circuit' | 'gateways' | 'lastErrorClass'> {
  return {
    circuit: worstFirst.find((state) => seen.some(({ circuit }) => circuit === state)) ?? 'unknown',
    gateways: { all: seen.length, open: seen.filter(({ circuit }) => circuit !== 'closed').length },
    lastErrorClass: seen.find(({ lastErrorClass }) => lastErrorClass !== undefined)?.lastErrorClass,
  }
}

/** A share in percent: whole, but a small one is not 0. Pure. */
export function shareInWords(share: number): string {
  const percent = share * 100
  if (percent > 0 && percent < 1) return '<1 %'
  return `${Math.round(percent)} %`
}

/** A height of a curve for each target, and its thickness: pure arithmetic of the picture. */
export function curvesOf(targets: readonly Pick<DrawnTarget, 'share'>[], rowHeight: number) {
  const height = targets.length * rowHeight
  return targets.map(({ share }, index) => ({
    from: height / 2,
    to: rowHeight * (index + 0.5),
    width: 1.5 + share * 8,
  }))
}

function listOf<Item>(value: readonly Item[] | undefined): readonly Item[] {
  return Array.isArray(value) ? value : []
}
