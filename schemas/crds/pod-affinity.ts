import { Type } from 'typebox'
import { DNS_LABEL_PATTERN } from '../kinds/parts.ts'

const atomic = { 'x-kubernetes-list-type': 'atomic' }
const labelKey = (description: string) => Type.String({ minLength: 1, maxLength: 317, description })
const labelValues = Type.Optional(
  Type.Array(Type.String({ maxLength: 63 }), { maxItems: 32, description: 'Values; none with Exists.', ...atomic }),
)
const weight = Type.Integer({ minimum: 1, maximum: 100, description: 'Weight of the preference, 1 to 100.' })
const preferred = 'Terms that are preferred, by weight.'
const required = 'Terms that must hold when a pod is placed.'

const requirements = (operators: string[], description: string) =>
  Type.Optional(
    Type.Array(
      Type.Object(
        {
          key: labelKey('Key of the label or field.'),
          operator: Type.Enum(operators, { description: 'How the values are compared.' }),
          values: labelValues,
        },
        { additionalProperties: false, description: 'A requirement.' },
      ),
      { maxItems: 16, description, ...atomic },
    ),
  )

const nodeOperators = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']
const nodeTerm = Type.Object(
  {
    matchExpressions: requirements(nodeOperators, 'Requirements on labels of the node.'),
    matchFields: requirements(nodeOperators, 'Requirements on fields of the node.'),
  },
  { additionalProperties: false, description: 'Requirements that must all hold.' },
)

const nodeAffinity = Type.Object(
  {
    requiredDuringSchedulingIgnoredDuringExecution: Type.Optional(
      Type.Object(
        {
          nodeSelectorTerms: Type.Array(nodeTerm, {
            minItems: 1,
            maxItems: 16,
            description: 'Terms of which one must hold.',
            ...atomic,
          }),
        },
        { additionalProperties: false, description: required },
      ),
    ),
    preferredDuringSchedulingIgnoredDuringExecution: Type.Optional(
      Type.Array(
        Type.Object(
          { weight, preference: nodeTerm },
          { additionalProperties: false, description: 'A term and its weight.' },
        ),
        { maxItems: 16, description: preferred, ...atomic },
      ),
    ),
  },
  { additionalProperties: false, description: 'Nodes on which the pods must or should run.' },
)

const labelSelector = (description: string) =>
  Type.Optional(
    Type.Object(
      {
        matchLabels: Type.Optional(
          Type.Unsafe<Record<string, string>>({
            type: 'object',
            additionalProperties: { type: 'string', maxLength: 63 },
            maxProperties: 16,
            description: 'Labels that must have these values.',
          }),
        ),
        matchExpressions: requirements(['In', 'NotIn', 'Exists', 'DoesNotExist'], 'Requirements on labels.'),
      },
      { additionalProperties: false, description },
    ),
  )

const labelKeys = (description: string) =>
  Type.Optional(Type.Array(labelKey('Key of a label.'), { maxItems: 16, description, ...atomic }))

const podTerm = Type.Object(
  {
    labelSelector: labelSelector('The other pods.'),
    topologyKey: labelKey('Node label that defines the topology domain, such as kubernetes.io/hostname.'),
    namespaces: Type.Optional(
      Type.Array(Type.String({ maxLength: 63, pattern: DNS_LABEL_PATTERN }), {
        maxItems: 32,
        description: 'Namespaces of the other pods. Defaults to that of the agent.',
        ...atomic,
      }),
    ),
    namespaceSelector: labelSelector('Namespaces of the other pods, by label.'),
    matchLabelKeys: labelKeys('Labels for which the other pods must have the same value.'),
    mismatchLabelKeys: labelKeys('Labels for which the other pods must have a different value.'),
  },
  { additionalProperties: false, description: 'Other pods, and the topology domain to share with them or not.' },
)

const podAffinity = (description: string) =>
  Type.Object(
    {
      requiredDuringSchedulingIgnoredDuringExecution: Type.Optional(
        Type.Array(podTerm, { maxItems: 16, description: required, ...atomic }),
      ),
      preferredDuringSchedulingIgnoredDuringExecution: Type.Optional(
        Type.Array(
          Type.Object(
            { weight, podAffinityTerm: podTerm },
            { additionalProperties: false, description: 'A term and its weight.' },
          ),
          { maxItems: 16, description: preferred, ...atomic },
        ),
      ),
    },
    { additionalProperties: false, description },
  )

/** Where pods are placed, as in a Pod. */
export const affinity = Type.Object(
  {
    nodeAffinity: Type.Optional(nodeAffinity),
    podAffinity: Type.Optional(podAffinity('Pods next to which the pods must or should run.')),
    podAntiAffinity: Type.Optional(podAffinity('Pods next to which the pods must not or should not run.')),
  },
  { additionalProperties: false, description: 'Where the pods are placed.' },
)
