import type { KindSlot } from '#core/plugin/kind-slot.ts'
import type { KubeObject } from '#core/kube/client.ts'
import { create, get, list, remove, replace } from './raw-requests.ts'
import { nameOf, ok, query } from './route-case.ts'
import type { RouteCase, Target } from './route-case.ts'
import { routedKinds, sampleNamed } from './world.ts'
import type { World } from './world.ts'

const verbs = { GET: 'list', POST: 'create', PUT: 'update', DELETE: 'delete' } as const

// By method and path. The questions are written independently of the routes; the kinds are namespaced and in our group.
function crudCases(slot: KindSlot): Readonly<Record<string, RouteCase>> {
  const { plural } = slot.kind
  return Object.fromEntries(
    slot.endpoints.map(({ method, url }) => {
      const path = `/api${url.replaceAll(/:([a-z]+)/g, '{$1}')}`
      const verb = url.includes(':') && method === 'GET' ? 'get' : verbs[method]
      const inQuery = url.includes(':name') && !url.includes(':ns')
      const item = (target: Target): string => {
        const named = `/api${url.replace(':ns', target.namespace).replace(':name', nameOf(target))}`
        return inQuery ? `${named}?namespace=${target.namespace}` : named
      }
      return [`${method} ${path}`, { ...caseOf(slot, verb, item), authz: `kube: ${verb} ${plural}` }]
    }),
  )
}

type CrudVerb = (typeof verbs)[keyof typeof verbs] | 'get'

function caseOf(slot: KindSlot, verb: CrudVerb, item: (target: Target) => string): Omit<RouteCase, 'authz'> {
  const { plural } = slot.kind
  const at = (target: Target) => [target.namespace, nameOf(target)] as const
  const body = (target: Target): KubeObject => sampleNamed(slot, ...at(target))
  const over = 'objects' as const
  const cases: Readonly<Record<CrudVerb, Omit<RouteCase, 'authz'>>> = {
    list: {
      over: 'namespaces',
      request: (target) => query(item(target).replace('/api', ''), target),
      questions: ({ namespace }) => [list(plural, namespace)],
      allowed: ok(200),
    },
    get: {
      over,
      request: (target) => ({ path: item(target) }),
      questions: (target) => [get(plural, ...at(target))],
      allowed: ok(200),
    },
    create: {
      over,
      request: (target) => ({ method: 'POST', path: `${item(target)}?dryRun=All`, body: body(target) }),
      questions: (target) => [create(plural, target.namespace, body(target))],
      allowed: ok(201),
    },
    update: {
      over,
      request: (target) => ({ method: 'PUT', path: `${item(target)}?dryRun=All`, body: body(target) }),
      questions: (target, world) => [get(plural, ...at(target)), replaceAt(slot, target, world)],
      allowed: ok(200),
    },
    delete: {
      over,
      request: (target) => ({ method: 'DELETE', path: `${item(target)}?dryRun=All` }),
      questions: (target) => [remove(plural, ...at(target))],
      allowed: ok(204),
    },
  }
  return cases[verb]
}

// The route reads the object and replaces it at its version.
function replaceAt(slot: KindSlot, { namespace, exists }: Target, { objects }: World) {
  const { plural } = slot.kind
  const name = nameOf({ namespace, exists })
  const resourceVersion = objects[plural]?.[namespace]?.metadata.resourceVersion ?? ''
  const object = sampleNamed(slot, namespace, name)
  return replace(plural, { namespace, name }, { ...object, metadata: { ...object.metadata, resourceVersion } })
}

/** Cases of the CRUD routes of all kinds. */
export const kindRoutes: Readonly<Record<string, RouteCase>> = Object.assign({}, ...routedKinds.map(crudCases))
