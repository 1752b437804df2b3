import { Type } from 'typebox'
import type { TString, TUnsafe } from 'typebox'
import { DURATION_PATTERN, durationRule } from '../values/duration.ts'
import type { DurationBounds } from '../values/duration.ts'
import { KEYS_SECRET_SUFFIX } from '../names/labels.ts'
import type { Condition } from './object.ts'
import { POD_MESSAGES } from '../values/pod-limits.ts'

/** RFC 1123 subdomain: the pattern of object names. */
export const DNS_NAME_PATTERN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'

/** RFC 1123 label: the pattern of namespace names. */
export const DNS_LABEL_PATTERN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'

/** `name` or `namespace/name`. */
export const PATH_REFERENCE_PATTERN =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?/)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'

/** A non-negative decimal with at most six places, since money is counted in micro-units. */
export const AMOUNT_PATTERN = '^[0-9]{1,12}(\\.[0-9]{1,6})?$'

const dnsName = { maxLength: 253, pattern: DNS_NAME_PATTERN }
const dnsLabel = { maxLength: 63, pattern: DNS_LABEL_PATTERN }

/** A reference as a string, `name` or `namespace/name`; tools find it by its mark. */
export function pathRef(kind: string, description: string): TString {
  return Type.String({
    maxLength: 317,
    pattern: PATH_REFERENCE_PATTERN,
    description: `${description} A name, or namespace/name where the target allows this namespace.`,
    'x-mesh-ref': kind,
  })
}

/** A reference as an object, with an optional namespace. */
export function objectRef(kind: string, description: string) {
  return Type.Object(
    {
      name: Type.String({ ...dnsName, description: `Name of the ${kind}.` }),
      namespace: Type.Optional(
        Type.String({ ...dnsLabel, description: 'Namespace of the target. Defaults to that of this object.' }),
      ),
    },
    { description, additionalProperties: false, 'x-mesh-ref': kind },
  )
}

/** A reference that cannot leave the object's namespace. */
export function localRef(kind: string, description: string) {
  return Type.Object(
    { name: Type.String({ ...dnsName, description: `Name of the ${kind}, in the same namespace.` }) },
    { description, additionalProperties: false, 'x-mesh-ref': kind },
  )
}

/** A list of references keyed by name, so that two field managers can each own an entry. */
export function localRefs(kind: string, description: string) {
  return Type.Array(localRef(kind, `A ${kind} by name.`), {
    description,
    maxItems: 32,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  })
}

/** A list of references that may name a namespace. */
export function objectRefs(kind: string, description: string) {
  return Type.Array(objectRef(kind, `A ${kind}.`), {
    description,
    maxItems: 32,
    'x-kubernetes-list-type': 'atomic',
  })
}

/** A rule on the name of a referenced Secret: Secrets with keys of agents are recognized by name, even before they exist. */
export function notAgentKeys(field: string) {
  return {
    rule: `!self.${field}.endsWith('${KEYS_SECRET_SUFFIX}')`,
    message: POD_MESSAGES.agentKeys,
    fieldPath: `.${field}`,
  }
}

/** A CEL expression: exactly one of these fields is set. */
export function onlyOne(fields: readonly string[]): string {
  return `${fields.map((field) => `(has(self.${field}) ? 1 : 0)`).join(' + ')} == 1`
}

/** A list of references keyed by name, also to objects of other namespaces; two targets with the same name cannot be distinguished. */
export function keyedRefs(kind: string, description: string) {
  return Type.Array(objectRef(kind, `A ${kind} by name.`), {
    description,
    maxItems: 32,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  })
}

/** Secrets of the same namespace by name. */
export function secretRefs(description: string) {
  const { items, ...list } = localRefs('Secret', description)
  return { ...list, items: { ...items, 'x-kubernetes-validations': [notAgentKeys('name')] } }
}

/** A key of a Secret in the same namespace. */
export function secretKeyRef(description: string) {
  return Type.Object(
    {
      name: Type.String({ ...dnsName, description: 'Name of the Secret, in the same namespace.' }),
      key: Type.String({ maxLength: 253, pattern: '^[-._a-zA-Z0-9]+$', description: 'Key in the Secret.' }),
    },
    {
      description,
      additionalProperties: false,
      'x-mesh-ref': 'Secret',
      'x-kubernetes-validations': [notAgentKeys('name')],
    },
  )
}

/** A duration in a body or query of the API. Validators read the mark, since no keyword of JSON Schema compares durations. */
export function durationText(bounds: DurationBounds, description: string): TString {
  return Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: DURATION_PATTERN,
    description: `${description} From ${bounds.min} to ${bounds.max}, such as 30s, 10m or 24h.`,
    'x-mesh-duration': bounds,
  })
}

/** A duration in a kind: the rule makes the API server refuse durations outside of the marked bounds. */
export function duration(bounds: DurationBounds, description: string): TString {
  return Type.String({ ...durationText(bounds, description), 'x-kubernetes-validations': [durationRule(bounds)] })
}

/** An amount of money as a decimal string: never a float. */
export function amount(description: string): TString {
  return Type.String({ maxLength: 19, pattern: AMOUNT_PATTERN, description })
}

/** ISO 4217 code. */
export const currency = Type.String({
  pattern: '^[A-Z]{3}$',
  maxLength: 3,
  default: 'USD',
  description: 'ISO 4217 code.',
})

/** The window over which money is counted; windows start in UTC. */
export const spendWindow = Type.Enum(['hour', 'day', 'week', 'month', 'total'], {
  default: 'month',
  description: 'Window over which the amount is counted, in UTC; total never restarts.',
})

/** A list of namespaces that may refer to an object; `*` is every namespace. */
export const allowedNamespaces = Type.Array(
  Type.String({ maxLength: 63, pattern: '^(\\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$' }),
  {
    maxItems: 256,
    description: 'Other namespaces whose objects may refer to this one; "*" allows every namespace.',
    'x-kubernetes-list-type': 'set',
  },
)

/** An object whose content is not described. */
export function freeObject(description: string): TUnsafe<Record<string, unknown>> {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description,
    'x-kubernetes-preserve-unknown-fields': true,
  })
}

/** A quantity such as `500m`, `1Gi` or `2`. */
export const quantity = Type.Unsafe<string | number>({
  'x-kubernetes-int-or-string': true,
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$',
  maxLength: 32,
})

/** Kubernetes conditions, merged by type. */
export const conditions = Type.Unsafe<Condition[]>({
  ...Type.Array(
    Type.Object(
      {
        type: Type.String({ maxLength: 316, description: 'Type of the condition, in CamelCase.' }),
        status: Type.Enum(['True', 'False', 'Unknown'], { description: 'One of True, False, Unknown.' }),
        reason: Type.String({ minLength: 1, maxLength: 1024, description: 'Machine-readable cause, in CamelCase.' }),
        message: Type.String({ maxLength: 32768, description: 'Human-readable explanation.' }),
        lastTransitionTime: Type.String({ format: 'date-time', description: 'When the status last changed.' }),
        observedGeneration: Type.Optional(
          Type.Integer({ minimum: 0, format: 'int64', description: 'Generation for which the condition was set.' }),
        ),
      },
      {
        description: 'One aspect of the state.',
        title: 'Condition',
        examples: [
          {
            type: 'Ready',
            status: 'True',
            reason: 'Available',
            message: '',
            lastTransitionTime: '2026-11-20T08:00:00Z',
            observedGeneration: 1,
          },
        ],
      },
    ),
  ),
  description: 'Latest observations of the state.',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
})

/** `status.observedGeneration` of every kind. */
export const observedGeneration = Type.Integer({
  minimum: 0,
  format: 'int64',
  description: 'Generation that the controller last handled.',
  examples: [1],
})

/** Status of a kind that only reports conditions. */
export const conditionsStatus = Type.Object(
  { observedGeneration: Type.Optional(observedGeneration), conditions: Type.Optional(conditions) },
  { description: 'Observed state.' },
)
