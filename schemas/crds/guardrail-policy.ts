import { Type } from 'typebox'
import type { Static } from 'typebox'
import { defineKind } from '../kinds/kind.ts'
import type { ObjectOf } from '../kinds/kind.ts'
import { allowedNamespaces, conditionsStatus, onlyOne } from '../kinds/parts.ts'
import { CHECKS, checks } from './guardrail-checks.ts'

const rule = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 63,
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
      description: 'Name of the rule, in responses, run events and metrics.',
    }),
    action: Type.Enum(['allow', 'mask', 'block', 'require_approval'], {
      description:
        'What follows from a match: allow records it, mask replaces it, block refuses the call, require_approval pauses the run.',
    }),
    stages: Type.Optional(
      Type.Array(Type.Enum(['request', 'response', 'tool_call']), {
        minItems: 1,
        maxItems: 3,
        description: 'Contents that the rule sees. Defaults to all of them.',
        'x-kubernetes-list-type': 'set',
      }),
    ),
    mask: Type.Optional(
      Type.String({
        maxLength: 64,
        pattern: '^[-A-Za-z0-9 _.:*#<>()\\[\\]]*$',
        description: 'Text in place of a match. Defaults to [masked].',
      }),
    ),
    ...checks,
  },
  {
    additionalProperties: false,
    description: 'One check of the content of model calls, and its action.',
    'x-kubernetes-validations': [
      { rule: onlyOne(CHECKS), message: `exactly one check is required: ${CHECKS.join(', ')}` },
      {
        rule: "self.action != 'mask' || !(has(self.models) || has(self.outputSchema))",
        message: 'models and outputSchema have no text to mask',
        fieldPath: '.action',
      },
      {
        rule: "!has(self.mask) || self.action == 'mask'",
        message: 'a mask needs the action mask',
        fieldPath: '.mask',
      },
      {
        rule: '!has(self.stages) || !(has(self.models) || has(self.outputSchema))',
        message: 'models are checked in requests, and outputSchema in responses',
        fieldPath: '.stages',
      },
    ],
  },
)

const spec = Type.Object(
  {
    appliesTo: Type.Optional(
      Type.Enum(['agents', 'namespace'], {
        default: 'agents',
        description:
          'agents: agents that name the policy in spec.guardrails. namespace: also every other agent of the namespace, and calls of its routes by persons.',
      }),
    ),
    rules: Type.Array(rule, {
      minItems: 1,
      maxItems: 32,
      description: 'Rules in the order in which overlapping masks are applied.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    }),
    allowedNamespaces: Type.Optional(allowedNamespaces),
  },
  { additionalProperties: false, description: 'Rules for the content of model calls.' },
)

/** Rules for the content of model calls of agents. */
export const GuardrailPolicy = defineKind({
  kind: 'GuardrailPolicy',
  plural: 'guardrailpolicies',
  singular: 'guardrailpolicy',
  shortNames: ['grp'],
  scope: 'Namespaced',
  description: 'Rules for the content of model calls: what is masked, blocked, recorded, or needs approval.',
  spec,
  status: conditionsStatus,
  audited: ['appliesTo'],
  printerColumns: [
    { name: 'AppliesTo', type: 'string', jsonPath: '.spec.appliesTo' },
    { name: 'Accepted', type: 'string', jsonPath: '.status.conditions[?(@.type=="Accepted")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Accepted")].reason' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
})

/** See {@link GuardrailPolicy}. */
export type GuardrailPolicySpec = Static<typeof spec>

/** One check and its action. */
export type GuardrailRule = GuardrailPolicySpec['rules'][number]

/** A guardrail policy in its wire format. */
export type GuardrailPolicyObject = ObjectOf<typeof GuardrailPolicy>
