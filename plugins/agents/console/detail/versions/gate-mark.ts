import type { AgentDeploymentStatus } from '#schemas/crds/agent-deployment.ts'
import type { ShownVersion } from './compared-versions.ts'
import { versionsText as text } from './text.ts'

/** What the gate of an agent knows of its newest revision. */
export type ShownGateState = AgentDeploymentStatus['evalGate']

/** The state of the gate for one version: a state of the status badge, and its words. */
export interface GateMark {
  readonly state: string
  readonly words: string
}

/** What the gate did with a version: an override of any one, else the evaluation of the one that is scored. Pure. */
export function gateMarkOf({ name, override }: ShownVersion, gate: ShownGateState): GateMark | undefined {
  if (override !== null) return { state: 'overridden', words: text.gate.overridden }
  if (gate === undefined || gate.revision !== name) return undefined
  const { phase, score, minScore } = gate
  const scores = score === undefined || minScore === undefined ? '' : text.gate.scores(score, minScore)
  if (phase === 'Pending' || phase === 'Running') return { state: phase, words: text.gate.scoring }
  if (phase === 'Passed') return { state: phase, words: `${text.gate.passed}${scores}` }
  if (phase === 'Overridden') return { state: phase, words: text.gate.overridden }
  return { state: 'gated', words: `${text.gate.held}${scores}` }
}
