import type { Caller } from '#core/cluster/caller.ts'
import { parseYamlText } from '#core/config/yaml-file.ts'
import type { YamlFile } from '#core/config/yaml-file.ts'
import { createTaskQueue } from '#core/tasks/task-queue.ts'
import type { Bus } from '#core/messaging/bus/bus.ts'
import type { OpenPlatform } from '../platform/platform.ts'

const noObjects = { get: async () => undefined, ofUid: async () => undefined, list: async () => [] }

/** A platform without cluster, store and bus, for tests of the host itself. Every bearer is the user `test`. */
export function standalonePlatform(): OpenPlatform {
  const idle = (signal: AbortSignal) => ({
    done: new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  })
  return async () => ({
    store: undefined,
    bus: noBus,
    callers: { as: async (bearer) => caller(bearer) },
    identity: undefined,
    observed: { find: async () => undefined, namespaceUid: async () => undefined },
    indexed: { ...noObjects, within: () => noObjects },
    directory: undefined,
    endpoints: async () => [],
    checks: {},
    available: { store: async () => undefined, bus: async () => undefined },
    migrate: async () => undefined,
    rebuild: async () => ({ events: 0 }),
    workerJobs: [],
    ticks: undefined,
    tasks: createTaskQueue(undefined),
    runTasks: (_handlers, signal) => idle(signal),
    relay: (_, signal) => idle(signal),
    consume: (_consumers, signal) => ({ ...idle(signal), subscribe: async () => undefined }),
    inform: (_informers, signal) => idle(signal),
    reconcile: (_reconcilers, signal) => idle(signal),
    follow: (_stores, signal) => idle(signal),
    lead: async (_name, work, signal) => work({ epoch: 0n, signal }),
    close: async () => undefined,
  })
}

/** Settings with free ports only. */
export function bareSettings(yaml = ''): YamlFile {
  return parseYamlText(
    `listen: {host: 127.0.0.1, bff: 0, gateway: 0, state: 0, manager: 0, admin: 0}\n${yaml}`,
    'mesh.yaml',
  )
}

const noBus: Bus = {
  publish: async () => undefined,
  consume: async () => ({ stop: async () => undefined }),
  emit: () => undefined,
  listen: async () => ({ stop: async () => undefined }),
  check: async () => undefined,
  close: async () => undefined,
}

function caller(bearer: string): Caller {
  return {
    username: 'test',
    bearer,
    get cluster(): never {
      throw new Error('this platform has no cluster')
    },
    whoami: async () => ({ username: 'test', uid: '', groups: [], extra: {} }),
    rulesIn: async () => ({ complete: true, rules: [] }),
    review: async () => {
      throw new Error('this platform has no cluster')
    },
    may: async () => undefined,
  }
}
