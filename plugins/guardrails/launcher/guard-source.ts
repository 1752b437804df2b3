import type { ContentGuard, Finding, GuardrailRules, Stage } from '#core/guardrails/guard.ts'
import type { Logger } from '#core/log/logger.ts'
import type { LauncherSigner } from '#core/signing/launcher-token.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import { pluginDisabled } from '#launcher/contract/state/plugin-disabled.ts'
import { policies } from '#plugins/guardrails/contract/wire.ts'
import type { Static } from '#schemas/wire/schema.ts'
import { callState } from '#launcher/contract/state/call-state.ts'
import type { StateClient } from '#launcher/contract/state/state-client.ts'

/** The compiled policies of the agent. */
export interface CompiledGuardrails {
  readonly guard: ContentGuard
  /** Rules that the gateway applies, by stage. */
  readonly external: readonly ExternalRuleStage[]
  /** Proves to the gateway that these policies were applied, and which approvals were given; undefined without a certificate. */
  prove(approved: readonly string[]): Promise<string | undefined>
}

/** A rule that the gateway applies at one stage. */
export type ExternalRuleStage = Pick<Finding, 'policy' | 'rule' | 'stage'>

/** The current policies of the agent. */
export interface GuardSource {
  /** Throws `Refusal` (`guardrail_unavailable`) if they cannot be read, and `plugin_disabled` if the plugin is not available. */
  current(): Promise<CompiledGuardrails>
}

/** Options of `createGuardSource`. */
export interface GuardSourceOptions {
  readonly state: StateClient
  /** The launcher that signs; without one the gateway applies the policies again. */
  readonly signer: () => LauncherSigner | undefined
  readonly agentUid: string
  readonly log: Logger
  /** Cache TTL of policies in milliseconds (5 s). */
  readonly freshMs?: number
  /** Maximum age in milliseconds of policies that cannot be refreshed (1 min). */
  readonly staleMs?: number
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
}

interface Known {
  readonly digest: string
  readonly guard: ContentGuard
  readonly external: readonly ExternalRuleStage[]
}

/**
 * Creates the source: it reads the policies from the state role and compiles them when they change. A change applies within `freshMs` plus the cache
 * TTL of the state role.
 */
export function createGuardSource(options: GuardSourceOptions): GuardSource {
  const { state, log, freshMs = 5_000, staleMs = 60_000, now = () => performance.now() } = options
  let known: Known | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let confirmedAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  const prove = createProver(options)
  const read = async (): Promise<void> => {
    const headers = known === undefined ? {} : { 'if-none-match': `"${known.digest}"` }
    const response = await callState(state, policies, { headers }).catch(() => undefined)
    const disabled = response && pluginDisabled(response)
    if (disabled !== undefined) {
      known = undefined
      throw disabled
    }
    // An unavailable state role changes no policy; a state role that reports an invalid policy does.
    if (response?.status === 200) known = await compile(response.value)
    else if (response?.problem.code === 'guardrail_unavailable') known = undefined
    else if (response?.status !== 304) log.warn({ status: response?.status ?? 0 }, 'guardrail policies not read')
    if (known === undefined) return
    askedAt = now()
    if (response?.status === 200 || response?.status === 304) confirmedAt = askedAt
  }
  return {
    async current() {
      if (now() - askedAt >= freshMs) {
        reading ??= read().finally(() => (reading = undefined))
        // Others use the current policies meanwhile.
        await reading
      }
      if (known === undefined || now() - confirmedAt >= staleMs) throw unavailable()
      const { digest, guard, external } = known
      return { guard, external, prove: (approved) => prove(digest, approved) }
    },
  }
}

async function compile(current: Static<typeof policies.response> | undefined): Promise<Known> {
  if (current === undefined) throw unavailable()
  const { digest, policies: rules } = current
  // Loaded at the first call: an agent without policies does not need it.
  const { compileGuard } = await import('#core/guardrails/compile-guard.ts')
  try {
    return { digest, guard: compileGuard(rules), external: rules.flatMap(externalStages) }
  } catch {
    throw unavailable()
  }
}

const allStages: readonly Stage[] = ['request', 'response', 'tool_call']

function externalStages({ namespace, name, rules }: GuardrailRules): readonly ExternalRuleStage[] {
  return rules.flatMap(({ name: rule, http, stages = allStages }) =>
    http === undefined ? [] : stages.map((stage) => ({ policy: `${namespace}/${name}`, rule, stage })),
  )
}

type Prover = (digest: string, approved: readonly string[]) => Promise<string | undefined>

function createProver({ signer, agentUid }: GuardSourceOptions): Prover {
  const loaded = import('#core/guardrails/proof.ts').then(({ createGuardProof }) =>
    createGuardProof({ signer, agentUid, now: () => new Date() }),
  )
  return async (digest, approved) => (await loaded)(digest, approved)
}

function unavailable(): Refusal {
  return new Refusal('guardrail_unavailable', undefined, { 'retry-after': '1' })
}
