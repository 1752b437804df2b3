import { WIDGETS, widget } from './test-server.ts'

/** One kind of input at any size: the requests before the measured one, and the measured one. */
export interface Case {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly type?: string
  body(bytes: number): string
  /** Sent once per size before the measurement, as `a`. */
  prepare?(bytes: number): { path: string; type?: string; method?: string; body: string }
}

const MAPS = '/api/v1/namespaces/default/configmaps'
const SERVICES = '/api/v1/namespaces/default/services'
export const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const REVIEW = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
const DRY = '?dryRun=All'
const APPLY = 'application/apply-patch+yaml'
const STRATEGIC = 'application/strategic-merge-patch+json'
const JSON_PATCH = 'application/json-patch+json'
const MERGE = 'application/merge-patch+json'

/** Items until their JSON has the size. */
function fill<T>(bytes: number, item: (i: number) => T): T[] {
  const each = JSON.stringify(item(100_000)).length + 1
  return Array.from({ length: Math.floor(bytes / each) }, (_, i) => item(i))
}
const map = (more: object) => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, ...more })
const mapMeta = (metadata: object) => map({ metadata: { name: 'a', ...metadata } })
const service = (ports: unknown[], more: object = {}) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports, ...more } })
const port = (i: number) => ({ name: `p${i}`, port: (i % 65_535) + 1, protocol: i % 2 ? 'TCP' : 'UDP' })
const owner = (i: number) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: `u${i}` })
const container = (i: number) => ({ name: `c${i}`, image: 'i' })
const deployment = (containers: unknown[], env: unknown[] = []) =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a' },
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: {
        metadata: { labels: { app: 'x' } },
        spec: { containers: [...containers, { name: 'last', image: 'i', ...(env.length > 0 ? { env } : {}) }] },
      },
    },
  })
const variable = (i: number) => ({ name: `v${i}`, value: 'x' })
const keys = (bytes: number, value: unknown) => Object.fromEntries(fill(bytes, (i) => [`k${i}`, value] as const))
const role = (rule: object) =>
  JSON.stringify({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'a' }, rules: [rule] })
const yaml = (bytes: number, line: (i: number) => string) => fill(bytes, line).join('\n')
const post = (name: string, path: string, body: Case['body'], type?: string): Case => ({
  name,
  method: 'POST',
  path: `${path}${DRY}`,
  body,
  ...(type ? { type } : {}),
})
const patch = (
  name: string,
  [path, type]: readonly [string, string],
  body: Case['body'],
  prepared: Case['body'],
): Case => ({
  name,
  method: 'PATCH',
  path: `${path}/a${DRY}&fieldManager=two&force=${type === APPLY}`.replace('&force=false', ''),
  type,
  body,
  prepare: (bytes) => ({
    path: `${path}/a?fieldManager=one&force=true`,
    type: APPLY,
    method: 'PATCH',
    body: prepared(bytes),
  }),
})

export const cases: readonly Case[] = [
  post('owner references', MAPS, (bytes) => mapMeta({ ownerReferences: fill(bytes, owner) })),
  post('one owner reference again and again', MAPS, (bytes) =>
    mapMeta({ ownerReferences: fill(bytes, () => owner(1)) }),
  ),
  post('controllers', MAPS, (bytes) =>
    mapMeta({ ownerReferences: fill(bytes, (i) => ({ ...owner(i), controller: true })) }),
  ),
  post('finalizers', MAPS, (bytes) => mapMeta({ finalizers: fill(bytes, (i) => `a/${i}`) })),
  post('bad finalizers', MAPS, (bytes) => mapMeta({ finalizers: fill(bytes, (i) => `!${i}`) })),
  post('labels', MAPS, (bytes) => mapMeta({ labels: keys(bytes, 'x') })),
  post('bad labels', MAPS, (bytes) => mapMeta({ labels: keys(bytes, '!') })),
  post('one long label', MAPS, (bytes) => mapMeta({ labels: { [`${'a.'.repeat(bytes / 2)}!`]: 'x' } })),
  post('annotations', MAPS, (bytes) => mapMeta({ annotations: keys(bytes, 'x') })),
  post('managed fields', MAPS, (bytes) =>
    mapMeta({
      managedFields: fill(bytes, (i) => ({
        manager: `m${i}`,
        operation: 'Update',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { [`f:k${i}`]: {} } },
      })),
    }),
  ),
  post('keys of a ConfigMap', MAPS, (bytes) => map({ data: keys(bytes, 'x') })),
  post('unknown fields of a built-in kind', MAPS, (bytes) => map(keys(bytes, 1))),
  post('unknown fields of a custom kind', WIDGETS, (bytes) => JSON.stringify({ ...widget('a'), ...keys(bytes, 1) })),
  post('ports of one name', SERVICES, (bytes) => service(fill(bytes, (i) => ({ ...port(i), name: 'x' })))),
  post('ports', SERVICES, (bytes) => service(fill(bytes, port))),
  post('containers', DEPLOYMENTS, (bytes) => deployment(fill(bytes, container))),
  post('verbs of a rule', ROLES, (bytes) =>
    role({ apiGroups: [''], resources: ['pods'], verbs: fill(bytes, (i) => `v${i}`) }),
  ),
  post('a rule of many of each', ROLES, (bytes) =>
    role({
      apiGroups: fill(bytes / 3, (i) => `g${i}`),
      resources: fill(bytes / 3, (i) => `r${i}`),
      verbs: fill(bytes / 3, (i) => `v${i}`),
    }),
  ),
  post('nested lists', MAPS, (bytes) => '['.repeat(bytes)),
  post('nested objects', MAPS, (bytes) => '{"a":'.repeat(bytes / 5)),
  post('YAML keys', REVIEW, (bytes) => yaml(bytes, (i) => `k${i}: 1`), 'application/yaml'),
  post('YAML lists', REVIEW, (bytes) => `a:\n${yaml(bytes, (i) => ` - ${i}`)}`, 'application/yaml'),
  post('YAML nested', REVIEW, (bytes) => '['.repeat(bytes), 'application/yaml'),
  post('YAML nested maps', REVIEW, (bytes) => '{a: '.repeat(bytes / 4), 'application/yaml'),
  post('YAML anchors', REVIEW, (bytes) => yaml(bytes, (i) => `k${i}: &a${i} x`), 'application/yaml'),
  post('YAML text', REVIEW, (bytes) => `a: |\n${' x\n'.repeat(bytes / 3)}`, 'application/yaml'),
  patch(
    'apply of a long list',
    [SERVICES, APPLY],
    (bytes) => service(fill(bytes / 4, (i) => port(i + 1))),
    (bytes) => service(fill(bytes / 4, port)),
  ),
  patch(
    'apply of a reversed list',
    [SERVICES, APPLY],
    (bytes) => service(fill(bytes / 4, port).toReversed()),
    (bytes) => service(fill(bytes / 4, port)),
  ),
  patch(
    'apply of one port again and again',
    [SERVICES, APPLY],
    (bytes) => service(fill(bytes, () => port(1))),
    () => service([port(1)]),
  ),
  patch(
    'apply of variables',
    [DEPLOYMENTS, APPLY],
    (bytes) =>
      deployment(
        [],
        fill(bytes, (i) => variable(i + 7)),
      ),
    (bytes) => deployment([], fill(bytes, variable)),
  ),
  patch(
    'apply of keys',
    [MAPS, APPLY],
    (bytes) => map({ data: keys(bytes, 'y') }),
    (bytes) => map({ data: keys(bytes, 'x') }),
  ),
  patch(
    'strategic patch of variables',
    [DEPLOYMENTS, STRATEGIC],
    (bytes) =>
      JSON.stringify({
        spec: { template: { spec: { containers: [{ name: 'last', env: fill(bytes, (i) => variable(i + 7)) }] } } },
      }),
    (bytes) => deployment([], fill(bytes, variable)),
  ),
  patch(
    'strategic order of variables',
    [DEPLOYMENTS, STRATEGIC],
    (bytes) =>
      JSON.stringify({
        spec: {
          template: {
            spec: {
              containers: [
                { name: 'last', '$setElementOrder/env': fill(bytes, (i) => ({ name: `v${i}` })).toReversed() },
              ],
            },
          },
        },
      }),
    (bytes) => deployment([], fill(bytes, variable)),
  ),
  patch(
    'strategic removal of variables',
    [DEPLOYMENTS, STRATEGIC],
    (bytes) =>
      JSON.stringify({
        spec: {
          template: {
            spec: { containers: [{ name: 'last', env: fill(bytes, (i) => ({ name: `v${i}`, $patch: 'delete' })) }] },
          },
        },
      }),
    (bytes) => deployment([], fill(bytes, variable)),
  ),
  patch(
    'strategic removal of finalizers',
    [MAPS, STRATEGIC],
    (bytes) =>
      JSON.stringify({ metadata: { '$deleteFromPrimitiveList/finalizers': fill(bytes, (i) => `a/${i + 3}`) } }),
    (bytes) => mapMeta({ finalizers: fill(bytes, (i) => `a/${i}`) }),
  ),
  patch(
    'strategic merge of finalizers',
    [MAPS, STRATEGIC],
    (bytes) => JSON.stringify({ metadata: { finalizers: fill(bytes, (i) => `b/${i}`) } }),
    (bytes) => mapMeta({ finalizers: fill(bytes, (i) => `a/${i}`) }),
  ),
  patch(
    'merge patch of keys',
    [MAPS, MERGE],
    (bytes) => JSON.stringify({ data: keys(bytes, null) }),
    (bytes) => map({ data: keys(bytes, 'x') }),
  ),
  patch(
    'JSON patch that doubles',
    [MAPS, JSON_PATCH],
    () =>
      JSON.stringify(
        Array.from({ length: 40 }, () => ({
          op: 'copy',
          from: '/metadata/finalizers',
          path: '/metadata/finalizers/-',
        })),
      ),
    (bytes) => mapMeta({ finalizers: fill(bytes / 8, (i) => `a/${i}`) }),
  ),
  patch(
    'JSON patch that inserts first',
    [MAPS, JSON_PATCH],
    (bytes) => JSON.stringify(fill(bytes, () => ({ op: 'add', path: '/metadata/finalizers/0', value: 'a/b' }))),
    (bytes) => mapMeta({ finalizers: fill(bytes, (i) => `a/${i}`) }),
  ),
  patch(
    'JSON patch that tests',
    [MAPS, JSON_PATCH],
    (bytes) => JSON.stringify(fill(bytes, () => ({ op: 'test', path: '/metadata/finalizers/0', value: 'a/0' }))),
    (bytes) => mapMeta({ finalizers: fill(bytes, (i) => `a/${i}`) }),
  ),
]
