import { promptResource } from '#plugins/prompts/contract/resources.ts'
import { collection, list, virtual } from './raw-requests.ts'
import type { AccessRequest } from './raw-requests.ts'
import { agents, found, nameOf } from './route-case.ts'
import type { RouteCase, Target } from './route-case.ts'

const { names, spec } = promptResource
const plural = names.plural
const at = (target: Target): string => `/api/${plural}/${target.namespace}/${nameOf(target)}`

const onPrompt = (method: string, target: Target): AccessRequest => ({
  method,
  path: `${collection(plural, target.namespace)}/${nameOf(target)}`,
  virtual: true,
  ...(method === 'PUT' ? { body: {} } : {}),
})

/** Cases of the routes that prompts add to those of a stored resource. */
export const promptRoutes: Readonly<Record<string, RouteCase>> = {
  'POST /api/promptversions': {
    over: 'objects',
    authz: `row: create ${plural}`,
    request: (target) => ({
      method: 'POST',
      path: `/api/${plural}?dryRun=All`,
      body: { namespace: target.namespace, name: nameOf(target), ...spec.sample },
    }),
    questions: (target) => [
      virtual('create', plural, target.namespace),
      ...(target.exists ? [onPrompt('PUT', target)] : []),
    ],
    // Equal content is no new version.
    allowed: ({ exists }) => ({ status: exists ? 200 : 201 }),
  },
  'PUT /api/promptversions/{ns}/{name}': {
    over: 'objects',
    authz: `review: update ${plural}`,
    request: (target) => ({ method: 'PUT', path: `${at(target)}?dryRun=All`, body: spec.sample }),
    questions: (target) => [onPrompt('PUT', target)],
    allowed: found(200),
  },
  'DELETE /api/promptversions/{ns}/{name}': {
    over: 'objects',
    authz: `review: delete ${plural}`,
    request: (target) => ({ method: 'DELETE', path: `${at(target)}?dryRun=All` }),
    // An unknown prompt has no users.
    questions: (target) => [onPrompt('DELETE', target), ...(target.exists ? [list(agents, target.namespace)] : [])],
    allowed: found(204),
  },
  'GET /api/promptversions/{ns}/{name}/diff': {
    over: 'objects',
    authz: `review: get ${plural}`,
    request: (target) => ({ path: `${at(target)}/diff?from=1` }),
    questions: (target) => [onPrompt('GET', target)],
    allowed: found(200),
  },
}
