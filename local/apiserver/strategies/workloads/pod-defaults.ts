import { isObject } from '../../json/json-value.ts'
import type { Json, JsonObject } from '../../json/json-value.ts'

/**
 * Defaults of built-in kinds as data. A list holds the defaults of each element; a key ending in `?` applies only
 * where its field is present; a function computes from the object that lacks the field.
 */
export type Defaults = {
  readonly [key: string]: Json | Defaults | readonly [Defaults] | ((of: JsonObject) => Json | undefined)
}

const isDefaults = (value: Defaults[string] | undefined): value is Defaults =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Fills absent fields in place. */
export function fillDefaults(target: JsonObject, defaults: Defaults): void {
  for (const [key, value] of Object.entries(defaults)) {
    const field = key.endsWith('?') ? key.slice(0, -1) : key
    const present = target[field]
    if (Array.isArray(value) && isDefaults(value[0])) fillEach(present, value[0])
    else if (present !== undefined) {
      if (field !== key && isObject(present) && isDefaults(value)) fillDefaults(present, value)
    } else if (field === key) {
      const made = typeof value === 'function' ? value(target) : (structuredClone(value) as Json)
      if (made !== undefined) target[field] = made
    }
  }
}

/** Fills the spec of a pod in place; `serviceAccount` is set to `serviceAccountName`. */
export function fillPodSpec(spec: JsonObject, more: Defaults = {}): void {
  fillDefaults(spec, { ...POD_SPEC, ...more })
  const name = spec['serviceAccountName'] ?? spec['serviceAccount']
  if (name !== undefined) spec['serviceAccount'] = spec['serviceAccountName'] = name
}

function fillEach(list: Json | undefined, defaults: Defaults): void {
  if (!Array.isArray(list)) return
  for (const item of list) if (isObject(item)) fillDefaults(item, defaults)
}

const PROBE: Defaults = {
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
  'httpGet?': { path: '/', scheme: 'HTTP' },
}
const ENV: readonly [Defaults] = [{ 'valueFrom?': { 'fieldRef?': { apiVersion: 'v1' } } }]

function pullPolicy(container: JsonObject): Json {
  const image = String(container['image'] ?? '')
  const tag = /:([^:/@]+)$/.exec(image.split('@')[0] ?? '')?.[1]
  return !image.includes('@') && (tag === undefined || tag === 'latest') ? 'Always' : 'IfNotPresent'
}

const CONTAINER: Defaults = {
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: pullPolicy,
  ports: [{ protocol: 'TCP' }],
  env: ENV,
  'livenessProbe?': PROBE,
  'readinessProbe?': PROBE,
  'startupProbe?': PROBE,
  'lifecycle?': { 'preStop?': { 'httpGet?': { path: '/', scheme: 'HTTP' } } },
}

const FIELD_ITEMS: readonly [Defaults] = [{ 'fieldRef?': { apiVersion: 'v1' } }]

const VOLUME: Defaults = {
  'secret?': { defaultMode: 420 },
  'configMap?': { defaultMode: 420 },
  'downwardAPI?': { defaultMode: 420, items: FIELD_ITEMS },
  'hostPath?': { type: '' },
  'projected?': {
    defaultMode: 420,
    sources: [{ 'serviceAccountToken?': { expirationSeconds: 3600 }, 'downwardAPI?': { items: FIELD_ITEMS } }],
  },
}

/** Defaults of a pod's spec, in a Pod or a template. */
const POD_SPEC: Defaults = {
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  schedulerName: 'default-scheduler',
  securityContext: {},
  terminationGracePeriodSeconds: 30,
  containers: [CONTAINER],
  initContainers: [CONTAINER],
  volumes: [VOLUME],
}

/** Times of a condition without `omitempty`. */
export const MOMENTS: Defaults = { lastProbeTime: null, lastTransitionTime: null }
