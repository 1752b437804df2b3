import { dirname } from 'node:path/posix'
import { isTest } from './sources.ts'
import type { Import, Source } from './sources.ts'

/** Folders of core, each after those that it imports. Files directly in a folder come after its subfolders. */
export const coreLayers: readonly string[] = [
  'core/async',
  'core/json',
  'core/json-schema',
  'core/command-line',
  'core/errors',
  'core/log',
  'core/telemetry',
  'core/otlp',
  'core/signing',
  'core/guardrails/readings',
  'core/guardrails/detectors',
  'core/guardrails/body',
  'core/guardrails',
  'core/net',
  'core/sse',
  'core/http-client',
  'core/model-apis/usage',
  'core/model-apis/assemble',
  'core/model-apis',
  'core/objects',
  'core/kube',
  'core/kube/kubeconfig',
  'core/validation',
  'core/jobs',
  'core/config',
  'core/config/shown',
  'core/state-store',
  'core/database/session',
  'core/database',
  'core/event-store',
  'core/event-store/maintenance',
  'core/cluster/roles',
  'core/cluster',
  'core/object-reads',
  'core/event-rights',
  'core/tasks',
  'core/retrieval',
  'core/role-models',
  'core/messaging/wire',
  'core/messaging/bus',
  'core/messaging/consumer',
  'core/messaging',
  'core/http/limits',
  'core/http/problem',
  'core/http/input',
  'core/http/endpoint',
  'core/http/stream',
  'core/http/audit',
  'core/http/reply',
  'core/http/resource',
  'core/http/store',
  'core/http/store/declared',
  'core/http/store/objects',
  'core/http/store/routes',
  'core/http/admission',
  'core/http/sessions',
  'core/http/sessions/oidc',
  'core/http/openapi',
  'core/http/console',
  'core/http',
  'core/controllers/watch',
  'core/controllers/objects',
  'core/controllers',
  'core/plugin',
  'core/host/load',
  'core/host/console',
  'core/host/third-party',
  'core/host/platform',
  'core/host/probes',
  'core/host/jobs',
  'core/host/role',
  'core/host/process',
  'core/host/commands',
]

/** Folders of core without knowledge of the platform; launcher and cli may import them. */
export const groundFolders: readonly string[] = coreLayers.slice(0, coreLayers.indexOf('core/validation'))

/** Lists files of core outside every layer, and imports of a later layer. */
export function layerViolations(sources: readonly Source[]): string[] {
  return sources.filter(({ path }) => path.startsWith('core/') && !isTest(path)).flatMap(violationsOf)
}

function violationsOf({ path, imports }: Source): string[] {
  const layer = layerOf(path)
  if (layer === -1) return [`${path} is in no layer of core`]
  return imports
    .filter(({ target }) => target.startsWith('core/') && layerOf(target) > layer)
    .map(({ target }) => `${path} imports ${target}`)
}

function layerOf(path: string): number {
  // Migrations belong to the folder that contains theirs.
  return coreLayers.indexOf(dirname(path).replace(/\/migrations$/, ''))
}

/**
 * Groups of files that import each other, types included, each as a sorted list (Tarjan's strongly connected components). A file that
 * imports itself is a group.
 */
export function importCycles(sources: readonly Source[]): string[] {
  const graph = new Map(sources.map(({ path, imports }) => [path, targetsOf(imports)]))
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (path: string): void => {
    const own = order.size
    order.set(path, own)
    lowest.set(path, own)
    stack.push(path)
    for (const target of graph.get(path) ?? []) {
      if (!graph.has(target)) continue
      if (!order.has(target)) visit(target)
      if (stack.includes(target)) lowest.set(path, Math.min(lowest.get(path) ?? own, lowest.get(target) ?? own))
    }
    if (lowest.get(path) !== own) return
    const group = stack.splice(stack.indexOf(path))
    if (group.length > 1 || graph.get(path)?.includes(path) === true) found.push(group)
  }
  for (const path of graph.keys()) if (!order.has(path)) visit(path)
  return found.map((group) => group.toSorted().join(' <-> '))
}

function targetsOf(imports: readonly Import[]): readonly string[] {
  return [...new Set(imports.map(({ target }) => target))]
}
