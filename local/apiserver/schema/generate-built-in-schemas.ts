/**
 * Generates built-in-schemas.json, the structural schemas of the built-in kinds, from the OpenAPI v3 documents of a real API server:
 * `node local/apiserver/schema/generate-built-in-schemas.ts URL TOKEN > local/apiserver/schema/built-in-schemas.json`
 */
import { isObject } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'

const KINDS: { readonly [document: string]: readonly string[] } = {
  'api/v1': [
    'Namespace',
    'Secret',
    'ConfigMap',
    'ServiceAccount',
    'Event',
    'Pod',
    'Service',
    'Node',
    'PersistentVolumeClaim',
  ],
  'apis/apps/v1': ['Deployment', 'ControllerRevision', 'ReplicaSet'],
  'apis/batch/v1': ['Job', 'CronJob'],
  'apis/policy/v1': ['PodDisruptionBudget'],
  'apis/networking.k8s.io/v1': ['NetworkPolicy', 'Ingress'],
  'apis/discovery.k8s.io/v1': ['EndpointSlice'],
  'apis/apiextensions.k8s.io/v1': ['CustomResourceDefinition'],
  'apis/rbac.authorization.k8s.io/v1': ['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'],
  'apis/coordination.k8s.io/v1': ['Lease'],
  'apis/events.k8s.io/v1': ['Event'],
}
const DROPPED = new Set(['x-kubernetes-unions', 'x-kubernetes-group-version-kind'])

/** One schema node without zero-value defaults, with short references and one-sentence descriptions. */
function compact(node: Json | undefined): Json {
  if (Array.isArray(node)) return node.map(compact)
  if (!isObject(node)) return node ?? null
  const all = node['allOf']
  if (Array.isArray(all) && isObject(all[0]) && typeof all[0]['$ref'] === 'string') {
    // A default of {} marks a Go struct that is always present: field ownership begins inside it.
    const struct = isObject(node['default']) ? { default: {} } : {}
    return { $ref: all[0]['$ref'].slice(all[0]['$ref'].lastIndexOf('/') + 1), ...struct }
  }
  const out: JsonObject = {}
  for (const [key, value] of Object.entries(node)) {
    if (DROPPED.has(key) || (key === 'default' && isZero(value))) continue
    if (key === 'description' && typeof value === 'string') out[key] = firstSentence(value)
    else if (key === '$ref' && typeof value === 'string') out[key] = value.slice(value.lastIndexOf('/') + 1)
    else out[key] = compact(value)
  }
  return out
}

function isZero(value: Json | undefined): boolean {
  return value === '' || value === 0 || value === false || (isObject(value) && Object.keys(value).length === 0)
}

function firstSentence(text: string): string {
  const end = text.search(/\.(\s|$)/)
  return end < 0 ? text : text.slice(0, end + 1)
}

async function fetchComponents(url: string, token: string, document: string): Promise<JsonObject> {
  const response = await fetch(`${url}/openapi/v3/${document}`, { headers: { authorization: `Bearer ${token}` } })
  if (!response.ok) throw new Error(`${document}: HTTP ${response.status}`)
  const body: { components: { schemas: JsonObject } } = JSON.parse(await response.text())
  return body.components.schemas
}

function collect(all: JsonObject, name: string, into: JsonObject): void {
  if (into[name] !== undefined) return
  into[name] = compact(all[name])
  JSON.stringify(into[name], (key, value: Json) => {
    if (key === '$ref' && typeof value === 'string') collect(all, value, into)
    return value
  })
}

/** The whole table: components by their OpenAPI name, and the component of each `group/Kind`. */
async function generate(
  url: string,
  token: string,
): Promise<{ kinds: { [kind: string]: string }; components: JsonObject }> {
  const kinds: { [kind: string]: string } = {}
  const components: JsonObject = {}
  for (const [document, names] of Object.entries(KINDS)) {
    const all = await fetchComponents(url, token, document)
    const group = document === 'api/v1' ? '' : (document.split('/')[1] ?? '')
    for (const kind of names) {
      const name = Object.keys(all).find(
        (key) => /^io\.k8s\.api(extensions-apiserver)?\./.test(key) && key.endsWith(`.v1.${kind}`),
      )
      if (!name) throw new Error(`${document} has no ${kind}`)
      kinds[`${group}/${kind}`] = name
      collect(all, name, components)
    }
  }
  return { kinds, components }
}

const [url, token] = process.argv.slice(2)
if (!url || !token) throw new Error('usage: generate-built-in-schemas.ts URL TOKEN')
process.stdout.write(`${JSON.stringify(await generate(url, token))}\n`)
