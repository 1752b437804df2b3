import type { KeyObject } from 'node:crypto'
import type { ContentGuard, GuardrailRules } from '#core/guardrails/guard.ts'
import type { Logger } from '#core/log/logger.ts'
import { Refusal } from '../http/refusal.ts'
import type { StateAnswer, StateClient } from '../state/state-client.ts'

/** The compiled policies of the agent. */
export interface Guarding {
  readonly guard: ContentGuard
  /** Proves to the gateway that these policies were applied; undefined without a key. */
  readonly proof: string | undefined
}

/** The current policies of the agent. */
export interface GuardSource {
  /** Throws `Refusal` (`guardrail_unavailable`) if they are not known. */
  current(): Promise<Guarding>
}

/** Options of `createGuardSource`. */
export interface GuardSourceOptions {
  readonly state: StateClient
  /** Key of the agent, with which launchers sign; undefined: the gateway applies the policies again. */
  readonly privateKey: KeyObject | undefined
  readonly agentUid: string
  readonly log: Logger
  /** Age in milliseconds at which policies are read again (5 s). */
  readonly freshMs?: number
}

interface Known {
  readonly digest: string
  readonly guard: ContentGuard
}

/** Creates the source: it reads the policies from the state role and compiles them when they change. */
export function createGuardSource(options: GuardSourceOptions): GuardSource {
  const { state, log, freshMs = 5000 } = options
  let known: Known | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  const prove = createProver(options)
  const read = async (): Promise<void> => {
    const headers = known === undefined ? {} : { 'if-none-match': `"${known.digest}"` }
    const answer = await state({ method: 'GET', path: '/guardrails', headers }).catch(() => undefined)
    // A state role that is down changes no policy; one that reports an invalid policy does.
    if (answer?.status === 200) known = await compile(answer)
    else if (answer?.body.code === 'guardrail_unavailable') known = undefined
    else if (answer?.status !== 304) log.warn({ status: answer?.status ?? 0 }, 'guardrail policies not read')
    if (known !== undefined) readAt = performance.now()
  }
  return {
    async current() {
      if (performance.now() - readAt >= freshMs) {
        reading ??= read().finally(() => (reading = undefined))
        // Others use the current policies meanwhile.
        await reading
      }
      if (known === undefined) throw unavailable()
      return { guard: known.guard, proof: await prove(known.digest) }
    },
  }
}

async function compile({ body }: StateAnswer): Promise<Known> {
  const { digest, policies } = body
  if (typeof digest !== 'string' || !Array.isArray(policies)) throw unavailable()
  // Loaded at the first call: an agent without policies does not need it.
  const { compileGuard } = await import('#core/guardrails/compile-guard.ts')
  try {
    return { digest, guard: compileGuard(policies as readonly GuardrailRules[]) }
  } catch {
    throw unavailable()
  }
}

function createProver({ privateKey, agentUid }: GuardSourceOptions): (digest: string) => Promise<string | undefined> {
  if (privateKey === undefined) return () => Promise.resolve(undefined)
  const loaded = import('#core/guardrails/proof.ts').then(({ createGuardProof }) =>
    createGuardProof({ privateKey, agentUid, now: () => new Date() }),
  )
  return async (digest) => (await loaded)(digest)
}

function unavailable(): Refusal {
  return new Refusal('guardrail_unavailable', undefined, { 'retry-after': '1' })
}
