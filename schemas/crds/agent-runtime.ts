import { Type } from 'typebox'
import { localRef, quantity, secretKeyRef } from '../kinds/parts.ts'

const environmentVariable = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
      description: 'Name of the variable.',
    }),
    value: Type.Optional(Type.String({ maxLength: 32768, description: 'Value; never a secret.' })),
    valueFrom: Type.Optional(
      Type.Object(
        {
          secretKeyRef: Type.Optional(secretKeyRef('A key of a Secret.')),
          configMapKeyRef: Type.Optional(
            Type.Object(
              {
                name: Type.String({ maxLength: 253, description: 'Name of the ConfigMap.' }),
                key: Type.String({ maxLength: 253, description: 'Key in the ConfigMap.' }),
              },
              { additionalProperties: false, description: 'A key of a ConfigMap.', 'x-mesh-ref': 'ConfigMap' },
            ),
          ),
        },
        {
          additionalProperties: false,
          description: 'Where the value comes from.',
          'x-kubernetes-validations': [
            { rule: 'has(self.secretKeyRef) != has(self.configMapKeyRef)', message: 'exactly one source is required' },
          ],
        },
      ),
    ),
  },
  {
    additionalProperties: false,
    description: 'An environment variable of the agent process.',
    'x-kubernetes-validations': [
      { rule: '!(has(self.value) && has(self.valueFrom))', message: 'value and valueFrom are mutually exclusive' },
    ],
  },
)

/** Environment of the agent process. */
export const environment = Type.Array(environmentVariable, {
  maxItems: 128,
  description: 'Environment of the agent process.',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
})

/** How the agent's own process is started. */
export const runtime = Type.Object(
  {
    command: Type.Optional(
      Type.Array(Type.String({ maxLength: 4096 }), {
        minItems: 1,
        maxItems: 64,
        description:
          'Program and first arguments of the agent; the launcher starts it. Without it the image keeps its entrypoint.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    args: Type.Optional(
      Type.Array(Type.String({ maxLength: 32768 }), {
        maxItems: 256,
        description: 'Further arguments.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    port: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 65535,
        default: 8000,
        description: 'Port on which the agent listens, given to it as AGENT_PORT.',
      }),
    ),
    env: Type.Optional(environment),
  },
  {
    additionalProperties: false,
    description: 'How the agent process is started. Ports 2994 to 2999, 4317, 4318 and 8080 belong to the platform.',
    'x-kubernetes-validations': [
      {
        rule: '!has(self.port) || !(self.port in [2994, 2995, 2996, 2997, 2998, 2999, 4317, 4318, 8080, 8081])',
        message: 'this port is reserved for the launcher',
        fieldPath: '.port',
      },
      { rule: '!has(self.args) || has(self.command)', message: 'args need a command', fieldPath: '.args' },
    ],
  },
)

const quantities = (description: string) =>
  Type.Unsafe<Record<string, string | number>>({
    type: 'object',
    additionalProperties: quantity,
    maxProperties: 16,
    description,
  })

/** Compute resources of the agent container, as in a Pod. */
export const resources = Type.Object(
  {
    requests: Type.Optional(quantities('What the agent is guaranteed, such as cpu: 100m and memory: 128Mi.')),
    limits: Type.Optional(quantities('What the agent may use at most.')),
  },
  { additionalProperties: false, description: 'Compute resources of the agent container.' },
)

/** How many replicas run; not for jobs. */
export const scaling = Type.Object(
  {
    replicas: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1000,
        description:
          'A fixed number of replicas, also set by `kubectl scale` and by an autoscaler, which needs it to be present.',
      }),
    ),
    minReplicas: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000, description: 'Minimum number of replicas.' })),
    maxReplicas: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Maximum number of replicas.' })),
    policyRef: Type.Optional(localRef('AgentScalingPolicy', 'Policy that moves the number between the two.')),
  },
  {
    additionalProperties: false,
    description: 'Number of replicas: fixed, or between two bounds. Defaults to one.',
    'x-kubernetes-validations': [
      {
        rule: '!has(self.replicas) || !(has(self.minReplicas) || has(self.maxReplicas) || has(self.policyRef))',
        message: 'replicas cannot be combined with minReplicas, maxReplicas or policyRef',
      },
      {
        rule: '!has(self.minReplicas) || !has(self.maxReplicas) || self.minReplicas <= self.maxReplicas',
        message: 'minReplicas must not exceed maxReplicas',
        fieldPath: '.minReplicas',
      },
    ],
  },
)
