import type { FigureOf, Goal } from '../tools/bench.ts'

const ours = 'launcher, budget'

interface Against {
  readonly number: number
  readonly peer: string
  readonly figure: string
  readonly text: string
  readonly limit: number
  /** The goal is how many times the peer's figure is ours. */
  readonly atLeast?: boolean
}

const against: readonly Against[] = [
  { number: 1, peer: 'Envoy', figure: 'call us', text: 'call against Envoy, ratio', limit: 1.3 },
  { number: 1, peer: 'nginx', figure: 'call us', text: 'call against nginx, ratio', limit: 3.5 },
  { number: 1, peer: 'Portkey', figure: 'call us', text: 'Portkey’s call, ratio', limit: 6, atLeast: true },
  { number: 1, peer: 'LiteLLM', figure: 'call us', text: 'LiteLLM’s call, ratio', limit: 150, atLeast: true },
  { number: 2, peer: 'nginx', figure: 'stream us', text: 'stream of 32 frames against nginx, ratio', limit: 2.2 },
  { number: 3, peer: 'Portkey', figure: 'rss MB', text: 'memory against Portkey, ratio', limit: 0.45 },
]

/** Goals against the peers that were measured. */
export function peerGoals(figureOf: FigureOf, has: (candidate: string) => boolean): readonly Goal[] {
  return against.flatMap(({ peer, figure, atLeast = false, ...goal }) => {
    if (!has(peer)) return []
    const [own, theirs] = [figureOf(ours, figure), figureOf(peer, figure)]
    const value = atLeast ? theirs / own : own / theirs
    return [{ ...goal, value, peer: { candidate: peer, figure }, ...(atLeast ? { atLeast } : {}) }]
  })
}
