import { clusterEvents } from '#core/controllers/objects/object-events.ts'
import { readSettings } from '#core/config/settings.ts'
import { parseYamlText } from '#core/config/yaml-file.ts'
import { toOpenApi } from '#core/http/openapi/document.ts'
import { createOutbound } from '#core/http-client/outbound.ts'
import type { MountedEndpoint } from '#core/http/endpoint/mounted-endpoint.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { createKeyring } from '#core/signing/create-keyring.ts'
import { createSealed } from '#core/signing/sealed.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { absentStore } from '../load/unconfigured-store.ts'
import { declareKeys } from '../load/plugin-keys.ts'
import { createRoleContainer } from '../load/role-container.ts'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { loadOrder } from '../load/load-order.ts'
import type { Platform } from '../platform/platform.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { createRoleApp, errorCodesOf, summariesOf } from './role-server.ts'
import { wire } from '../load/plugin-availability.ts'

/** OpenAPI document of plugins in the profile `open` with everything configured. */
export async function describeApi(plugins: readonly AnyPlugin[], version: string): Promise<object> {
  const catalog = await describeCatalog(plugins, version)
  return toOpenApi({ catalog, version, summaries: summariesOf(plugins), errorCodes: errorCodesOf(plugins) })
}

/**
 * Lists every endpoint of plugins in the profile `open` with everything configured. Nothing is opened: declaring routes does no I/O, and a
 * plugin that used store, bus or cluster here would fail.
 */
export async function describeCatalog(
  plugins: readonly AnyPlugin[],
  version: string,
): Promise<readonly MountedEndpoint[]> {
  const settings = readSettings(parseYamlText('', 'defaults'), {}, plugins)
  const ordered = loadOrder(plugins)
  const core = inertCore(version, plugins)
  const wired = await wire(ordered, { core, slices: settings.slices, disabled: [] })
  const container = await createRoleContainer({ core, keys: core.keys, ordered, slices: settings.slices, wired })
  try {
    const platform = { ...inertPlatform, callers: core.cluster, store: core.store }
    const { app, catalog } = await createRoleApp({
      role: 'bff',
      core,
      platform,
      built: container.built,
      settings: settings.core,
      thirdParty: new Set(),
      checkResponses: false,
    })
    await app.close()
    return catalog
  } finally {
    await container.close()
  }
}

const refuse = async (): Promise<never> => {
  throw new Error('nothing is reachable while the API is described')
}

const inertPlatform: Pick<Platform, 'identity' | 'directory'> = {
  identity: undefined,
  directory: undefined,
}

function inertCore(version: string, plugins: readonly AnyPlugin[]): Core {
  const types = [...clusterEvents, ...plugins.flatMap((plugin) => plugin.events ?? [])]
  const keys = createKeyring({ generate: declareKeys(plugins, new Set()).types })
  return {
    role: 'bff',
    install: 'mesh',
    profile: 'open',
    version,
    log: createLogger({ level: 'error' }),
    metrics: createMetrics(),
    keys,
    sealed: createSealed(keys, 'core'),
    now: () => new Date(0),
    store: absentStore,
    bus: {
      publish: refuse,
      consume: refuse,
      emit: () => undefined,
      listen: refuse,
      check: refuse,
      close: async () => undefined,
    },
    tasks: { enqueue: refuse },
    cluster: { as: refuse },
    observed: { find: refuse, namespaceUid: refuse },
    outbound: createOutbound({ allow: [], lookup: refuse }),
    urls: { bff: 'http://bff.invalid', gateway: 'http://gateway.invalid', state: 'http://state.invalid' },
    descriptors: () => new Map(),
    eventTypes: () => new Map(types.map((type) => [type.type, type])),
    eventRights: () => ({ maySee: refuse, typesIn: refuse }),
    kinds: () => kindsOf(plugins),
    plugins: () => new Map(),
    unenforced: () => [],
    extensions: () => [],
    contributed: () => [],
    shownSettings: () => ({}),
  }
}
