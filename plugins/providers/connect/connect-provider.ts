import type { Caller } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { KubeObject } from '#core/kube/client.ts'
import { createWithSecret } from '#core/http/resource/create-with-secret.ts'
import { parseLabel } from '#core/kube/names.ts'
import { conceal } from '#core/log/secrets.ts'
import type { ConnectProviderBody } from '#schemas/api/providers.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import type { ModelProviderObject, ModelProviderSpec } from '#schemas/crds/model-provider.ts'
import { API_VERSION, FIELD_MANAGER } from '#schemas/names/group.ts'
import { KEY_ROTATED_ANNOTATION, KEY_VERSION_ANNOTATION } from '#schemas/names/labels.ts'
import { askForModels } from './ask-provider.ts'
import type { AskingOptions } from './ask-provider.ts'
import { KEY_FIELD, nameOfKeySecret, toKeySecret } from './key-secret.ts'

/** What connecting needs. */
export interface ConnectOptions extends AskingOptions {
  readonly now: () => Date
}

/** Options of one request. */
export interface ConnectRequest {
  readonly dryRun: boolean
  readonly signal: AbortSignal
}

/**
 * Connects a provider as the caller. The cluster refuses first, by a dry run of both objects; then the provider is asked; then the Secret is
 * written, and the ModelProvider. A failed second write removes the first.
 */
export async function connectProvider(
  options: ConnectOptions,
  { cluster }: Pick<Caller, 'cluster'>,
  body: ConnectProviderBody,
  { dryRun, signal }: ConnectRequest,
): Promise<ModelProviderObject> {
  const { provider, secret, key } = toObjects(body, options.now())
  const pair = { kind: ModelProvider, object: provider, secret }
  const write = { fieldManager: FIELD_MANAGER, signal }
  const judged = await createWithSecret(cluster, pair, { ...write, dryRun: true })
  if (body.validate !== false) await askForModels(options, provider.spec, key)
  return dryRun ? judged : createWithSecret(cluster, pair, write)
}

interface ConnectedObjects {
  readonly provider: ModelProviderObject & { readonly spec: ModelProviderSpec }
  readonly secret: KubeObject | undefined
  readonly key: string | undefined
}

function toObjects(body: ConnectProviderBody, now: Date): ConnectedObjects {
  const { namespace: place = 'default', name: given, apiKey, validate: _, ...spec } = body
  const namespace = parseLabel('/namespace', place)
  const name = parseLabel('/name', given)
  requireFittingKey(body)
  const secretName = nameOfKeySecret(name)
  const full = apiKey === undefined ? spec : { ...spec, secretRef: { name: secretName, key: KEY_FIELD } }
  const marks = { [KEY_VERSION_ANNOTATION]: '1', [KEY_ROTATED_ANNOTATION]: now.toISOString() }
  return {
    provider: {
      apiVersion: API_VERSION,
      kind: ModelProvider.kind,
      metadata: { namespace, name, ...(apiKey === undefined ? {} : { annotations: marks }) },
      spec: full,
    },
    secret: apiKey === undefined ? undefined : toKeySecret({ namespace, name: secretName }, full, apiKey),
    key: apiKey === undefined ? undefined : conceal(apiKey),
  }
}

// A server of one's own may need no key; the addresses that are the defaults do.
function requireFittingKey({ type, baseUrl, apiKey }: ConnectProviderBody): void {
  const refuse = (detail: string): never => {
    throw new Fail('invalid_body', undefined, { errors: [{ pointer: '/apiKey', detail }] })
  }
  if (type === 'mock' && apiKey !== undefined) refuse('a mock provider has no key')
  if (type !== 'mock' && baseUrl === undefined && apiKey === undefined) refuse(`is required for the address of ${type}`)
}
