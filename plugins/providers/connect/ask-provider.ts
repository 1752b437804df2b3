import { Fail } from '#core/errors/domain-error.ts'
import { describeReason, OutboundError } from '#core/http-client/outbound-error.ts'
import type { Outbound } from '#core/http-client/outbound.ts'
import type { ModelProviderSpec } from '#schemas/crds/model-provider.ts'
import type { ListedModel, ModelAdapter } from '../contract/adapter.ts'
import { providerErrors } from '../contract/errors.ts'
import { refusesKey } from '../upstream/error-document.ts'
import { targetOfProvider } from '../upstream/provider-target.ts'

/** What asking a provider needs. */
export interface AskingOptions {
  readonly outbound: Pick<Outbound, 'request'>
  readonly adapters: () => readonly ModelAdapter[]
}

const DEADLINE_MS = 10_000
const MOST_BYTES = 4 * 1024 * 1024

/**
 * Reads the models of a provider on guarded connections, without redirects, in at most 10 s and 4 MiB. Throws `provider_rejected_key`,
 * `provider_unreachable` or `provider_answered_badly`, with the status or the class of the failure and never a text of the provider.
 */
export async function askForModels(
  { outbound, adapters }: AskingOptions,
  provider: ModelProviderSpec,
  key: string | undefined,
): Promise<readonly ListedModel[]> {
  const adapter = adapters().find(({ type }) => type === provider.type)
  if (adapter?.listModels === undefined)
    throw new Fail('not_wired', `This installation cannot list models of providers of type ${provider.type}.`)
  return adapter.listModels({
    provider,
    key,
    get: async (path, headers) => readJson(await send(outbound, provider, { path, headers })),
  })
}

interface SentListing {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

async function send(outbound: AskingOptions['outbound'], provider: ModelProviderSpec, { path, headers }: SentListing) {
  const target = targetOfProvider(provider, path)
  try {
    return await outbound.request({
      url: target.url.href,
      headers: { accept: 'application/json', ...target.headers, ...headers },
      deadlineMs: DEADLINE_MS,
      maxBytes: MOST_BYTES,
    })
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const about = `${target.url.host}: ${describeReason(error.reason)}.`
    throw new Fail(
      error.reason === 'too_large' ? providerErrors.provider_answered_badly : providerErrors.provider_unreachable,
      about,
    )
  }
}

function readJson({ status, body }: { readonly status: number; readonly body: Buffer }): unknown {
  if (refusesKey(status, body))
    throw new Fail(providerErrors.provider_rejected_key, `The provider responded with ${status}.`)
  if (status !== 200) throw new Fail(providerErrors.provider_answered_badly, `The provider responded with ${status}.`)
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new Fail(providerErrors.provider_answered_badly, 'The response of the provider is no JSON document.')
  }
}
