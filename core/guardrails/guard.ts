import type { Mask } from './body/mask.ts'
import type { checks } from '#schemas/crds/guardrail-checks.ts'
import type { GuardrailRule } from '#schemas/crds/guardrail-policy.ts'

/** Content of a model call that rules see. */
export type Stage = 'request' | 'response' | 'tool_call'

/** Consequence of a match. */
export type Action = GuardrailRule['action']

/** Name of the check of a rule. */
export type CheckName = keyof typeof checks

/** The rules of one policy. Rules with an external check are no part of a guard. */
export interface GuardrailRules {
  readonly namespace: string
  readonly name: string
  readonly rules: readonly GuardrailRule[]
}

/** Matches of one rule: names and numbers, never content. */
export interface Finding {
  /** `namespace/name`. */
  readonly policy: string
  readonly rule: string
  readonly check: CheckName
  readonly stage: Stage
  readonly action: Action
  readonly count: number
}

/** Result of a check. */
export interface GuardOutcome {
  readonly decision: 'pass' | 'block' | 'require_approval'
  /** The finding that decided; undefined for `pass`. */
  readonly by?: Finding
  /** Every finding since the previous result. */
  readonly findings: readonly Finding[]
}

/** Result for complete texts, masked; unchanged texts are the same strings. */
export interface TextsOutcome extends GuardOutcome {
  readonly texts: readonly string[]
  /** The masks of each text, in order and without overlap; empty unless the decision is `pass`. */
  readonly masks: readonly (readonly Mask[])[]
}

/** Result for a part of a text. */
export interface StreamOutcome extends GuardOutcome {
  /** Masked text that may be sent; empty unless the decision is `pass`. */
  readonly release: string
}

/** The same result, by offsets in the text so far. */
export interface MaskOutcome extends GuardOutcome {
  /** New masks, in order and without overlap. */
  readonly masks: readonly Mask[]
  /** Number of characters at the end that are not decided: more than the look-back where a match has gaps. */
  readonly undecided: number
}

/** Whether a person has approved what a rule with `require_approval` stops. */
export type IsApproved = (by: Pick<Finding, 'policy' | 'rule' | 'stage'>) => boolean

/** One text of a response, in parts. Its results do not depend on where the parts begin. */
export interface StreamGuard {
  push(text: string): StreamOutcome
  /** Releases the text so far. It is complete, or another push continues it. */
  end(): StreamOutcome
}

/** The same for a caller that holds the text back itself, by the look-back of the guard. */
export interface MaskGuard {
  push(text: string): MaskOutcome
  end(): MaskOutcome
}

/** The compiled rules of the policies of a call. It has no state, and may be shared by calls. */
export interface ContentGuard {
  /** Stages with at least one rule. */
  readonly stages: ReadonlySet<Stage>
  /** Maximum number of characters that a stream guard holds back. */
  readonly lookBack: number
  /** Whether a response is released only when it is complete. */
  readonly holdsWhole: boolean
  /** Checks a model: `namespace/name` of a route, or `agent/namespace/name`. */
  model(name: string, isApproved?: IsApproved): GuardOutcome
  /** Checks complete texts. Yields to the event loop every few milliseconds. */
  texts(stage: Stage, texts: readonly string[], isApproved?: IsApproved): Promise<TextsOutcome>
  /** Checks the joined texts of several messages of a request by the rules on secrets. Other rules would find matches that no message contains. */
  split(texts: readonly string[], isApproved?: IsApproved): Promise<TextsOutcome>
  /** Checks results of tools in a request by the rules on tool calls that do not see requests. */
  results(texts: readonly string[], isApproved?: IsApproved): Promise<TextsOutcome>
  /** Guards one text of a response. */
  stream(isApproved?: IsApproved): StreamGuard
  /** Guards one text of a response by offsets. */
  masks(isApproved?: IsApproved): MaskGuard
}
