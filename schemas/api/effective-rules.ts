import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { spendWindow } from '../kinds/parts.ts'

const textOrNull = (description: string, example: string | null) =>
  exemplified(Type.Union([Type.String(), Type.Null()], { description }), example)
const countOrNull = (description: string, example: number | null) =>
  exemplified(Type.Union([Type.Integer(), Type.Null()], { description }), example)

/** Where a rule is written. */
export const RuleSource = Type.Object(
  {
    kind: Type.String({
      description: 'Kind of the object; `Default` for a default of the platform.',
      examples: ['AgentDeployment'],
    }),
    namespace: textOrNull('Namespace of the object; null for one of the cluster, and for a default.', 'default'),
    name: textOrNull('Name of the object; null for a default.', 'hello'),
    field: Type.String({ description: 'Field that sets the rule.', examples: ['spec.limits.timeout'] }),
  },
  { title: 'RuleSource', description: 'Where the rule is written.' },
)

/** A guardrail policy that applies to an agent. */
export const EffectiveGuardrail = Type.Object(
  {
    namespace: Type.String({ description: 'Namespace of the policy.', examples: ['default'] }),
    name: Type.String({ description: 'Name of the policy.', examples: ['pii'] }),
    found: exemplified(
      Type.Union([Type.Boolean(), Type.Null()], {
        description: 'Whether the policy exists and admits the namespace; null if the caller may not read it.',
      }),
      true,
    ),
    rules: described(
      Type.Union([
        Type.Array(
          Type.Object(
            {
              name: Type.String({ description: 'Name of the rule.', examples: ['cards'] }),
              action: Type.String({ description: 'What it does with a match.', examples: ['mask'] }),
            },
            { title: 'EffectiveGuardrailRule' },
          ),
        ),
        Type.Null(),
      ]),
      'Its rules, in the order in which they apply; null unless `found`.',
    ),
    from: RuleSource,
  },
  { title: 'EffectiveGuardrail' },
)

/** A limit on money or model calls that applies to an agent. */
export const EffectiveQuota = Type.Object(
  {
    readable: Type.Boolean({
      description: 'Whether the caller may read the object of the quota; without it the numbers are null.',
      examples: [true],
    }),
    spend: described(
      Type.Union([
        Type.Object(
          {
            amount: Type.String({ description: 'Decimal text.', examples: ['5.00'] }),
            currency: Type.String({ description: 'ISO 4217 code.', examples: ['USD'] }),
            window: described(spendWindow, 'Window over which money is counted.', 'month'),
          },
          { title: 'EffectiveSpend' },
        ),
        Type.Null(),
      ]),
      'Money of a window; null without a limit.',
    ),
    requestsPerMinute: countOrNull('Model calls per minute; null without a limit.', 60),
    concurrency: countOrNull('Concurrent model calls; null without a limit.', 4),
    from: RuleSource,
  },
  { title: 'EffectiveQuota' },
)

/** A limit of the runs of an agent. */
export const EffectiveLimit = Type.Object(
  {
    name: Type.String({ description: 'Name of the limit.', examples: ['timeout'] }),
    value: exemplified(Type.Union([Type.String(), Type.Integer()], { description: 'Its value.' }), '10m'),
    from: RuleSource,
  },
  { title: 'EffectiveLimit' },
)

/** Response of `GET /api/agents/{ns}/{name}/effective`. */
export const EffectiveRules = Type.Object(
  {
    guardrails: described(Type.Array(EffectiveGuardrail), 'Policies for the content of its model calls.'),
    namespaceGuardrails: Type.Boolean({
      description: 'False if the caller may not list the policies of the namespace, so that some may be missing.',
      examples: [true],
    }),
    quotas: described(Type.Array(EffectiveQuota), 'Limits on money and model calls; each of them applies.'),
    limits: described(Type.Array(EffectiveLimit), 'Limits of its runs.'),
  },
  { title: 'EffectiveRules' },
)

/** See {@link EffectiveGuardrail}. */
export type EffectiveGuardrail = Static<typeof EffectiveGuardrail>
/** See {@link EffectiveQuota}. */
export type EffectiveQuota = Static<typeof EffectiveQuota>
/** See {@link EffectiveLimit}. */
export type EffectiveLimit = Static<typeof EffectiveLimit>
