/**
 * Generates protobuf-messages.json, the protobuf field numbers of the built-in kinds, from the Go types of the API modules:
 * `node local/apiserver/json/generate-protobuf-messages.ts $(go list -m -f '{{.Dir}}' k8s.io/api k8s.io/apimachinery) > protobuf-messages.json`
 */
import { readFileSync } from 'node:fs'

const PACKAGES: { readonly [name: string]: string } = {
  core: 'api:core/v1',
  apps: 'api:apps/v1',
  batch: 'api:batch/v1',
  autoscaling: 'api:autoscaling/v1',
  coordination: 'api:coordination/v1',
  policy: 'api:policy/v1',
  networking: 'api:networking/v1',
  rbac: 'api:rbac/v1',
  events: 'api:events/v1',
  discovery: 'api:discovery/v1',
  authentication: 'api:authentication/v1',
  authorization: 'api:authorization/v1',
  meta: 'apimachinery:pkg/apis/meta/v1',
}
const IMPORTED: { readonly [name: string]: string } = { metav1: 'meta', v1: 'core', corev1: 'core' }
const ROOTS = [
  'core: Namespace Secret ConfigMap ServiceAccount Event Pod Service Node PersistentVolumeClaim',
  'rbac: Role ClusterRole RoleBinding ClusterRoleBinding',
  'authentication: TokenReview TokenRequest SelfSubjectReview',
  'authorization: SubjectAccessReview SelfSubjectAccessReview LocalSubjectAccessReview SelfSubjectRulesReview',
  'apps: Deployment ControllerRevision ReplicaSet',
  'batch: Job CronJob',
  'autoscaling: Scale',
  'coordination: Lease',
  'policy: PodDisruptionBudget',
  'networking: NetworkPolicy Ingress',
  'events: Event',
  'discovery: EndpointSlice',
  'meta: DeleteOptions',
].flatMap((line) => {
  const [name = '', kinds = ''] = line.split(': ')
  return kinds.split(' ').map((kind) => `${name}.${kind}`)
})

/** Handled by the decoder: their JSON form is not an object of their fields. */
const SPECIAL = new Set([
  'meta.Time',
  'meta.MicroTime',
  'meta.Duration',
  'meta.FieldsV1',
  'resource.Quantity',
  'intstr.IntOrString',
  'runtime.RawExtension',
  'core.Quantity',
])
const SCALARS = new Set(['string', 'bool', 'int32', 'int64', 'uint32', 'uint64', 'float64', 'bytes'])

/** `number,name,type,mode`; mode is p (pointer), r (repeated), m (map), i (inline) or empty. */
interface Field {
  number: string
  name: string
  type: string
  mode: string
}

const structs = new Map<string, Field[]>()
const aliases = new Map<string, string>()

function qualify(type: string, of: string): string {
  if (type === '[]byte') return 'bytes'
  if (SCALARS.has(type)) return type
  const [first = '', second] = type.split('.')
  if (second === undefined) return `${of}.${first}`
  return first === 'types' ? 'string' : `${IMPORTED[first] ?? first}.${second}`
}

function toField(line: RegExpExecArray, of: string): Field | undefined {
  const [, type = '', json = '', protobuf = ''] = line
  const number = protobuf.split(',')[1] ?? ''
  const name = json.split(',')[0] ?? ''
  if (json === '-' || protobuf === '') return undefined
  const map = /^map\[[\w.]+\](.*)$/.exec(type)
  if (map) return { number, name, type: qualify((map[1] ?? '').replace('*', ''), of), mode: 'm' }
  if (type.startsWith('[]') && type !== '[]byte') return { number, name, type: qualify(type.slice(2), of), mode: 'r' }
  const pointer = type.startsWith('*')
  return { number, name, type: qualify(type.replace('*', ''), of), mode: name === '' ? 'i' : pointer ? 'p' : '' }
}

function readPackage(name: string, source: string): void {
  for (const [, type = '', body = ''] of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    const fields: Field[] = []
    for (const line of body.split('\n')) {
      const found = /^\s*(?:\w+\s+)?(\S+)\s+`(?:[^`]*\s)?json:"([^"]*)"(?:\s+[^`]*?protobuf:"([^"]*)")?/.exec(line)
      const field = found ? toField(found, name) : undefined
      if (field) fields.push(field)
    }
    structs.set(`${name}.${type}`, fields)
  }
  for (const [, type = '', target = ''] of source.matchAll(/^type (\w+) ((?:\[\]|map\[\w+\])?[\w.]+)$/gm))
    aliases.set(`${name}.${type}`, target)
}

/** Resolves a named type to its encoded type; a named list or map is a mode. */
function resolve(field: Field): Field {
  const target = aliases.get(field.type)
  if (target === undefined) return field
  const of = field.type.split('.')[0] ?? ''
  if (target.startsWith('[]') && field.mode === 'm') return { ...field, mode: 'x' } // ExtraValue: a message of items
  if (target.startsWith('[]')) return resolve({ ...field, type: qualify(target.slice(2), of), mode: 'r' })
  if (target.startsWith('map'))
    return resolve({ ...field, type: qualify(target.replace(/^map\[\w+\]/, ''), of), mode: 'm' })
  return resolve({ ...field, type: qualify(target, of) })
}

const [api, apimachinery] = process.argv.slice(2)
if (!api || !apimachinery) throw new Error('usage: generate-protobuf-messages.ts API_MODULE APIMACHINERY_MODULE')
for (const [name, place] of Object.entries(PACKAGES)) {
  const [module, path] = place.split(':')
  readPackage(name, readFileSync(`${module === 'api' ? api : apimachinery}/${path}/types.go`, 'utf8'))
}

const messages: { [name: string]: string } = {}
function collect(name: string): void {
  if (messages[name] !== undefined || SPECIAL.has(name) || SCALARS.has(name)) return
  const fields = structs
    .get(name)
    ?.map(resolve)
    .filter((field) => field.type !== 'meta.TypeMeta')
  if (!fields) throw new Error(`no Go type ${name}`)
  messages[name] = fields
    .map((field) => `${field.number},${field.name},${field.mode === 'x' ? 'extra' : field.type},${field.mode}`)
    .join(';')
  for (const field of fields) if (field.mode !== 'x') collect(field.type)
}
for (const root of ROOTS) collect(root)
process.stdout.write(`${JSON.stringify(messages, null, 2)}\n`)
