import { Type } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { CHECKS } from '../crds/guardrail-checks.ts'
import { anyValue } from './common.ts'

const stage = Type.Enum(['request', 'response', 'tool_call'])
const action = Type.Enum(['allow', 'mask', 'block', 'require_approval'])
const check = Type.Enum([...CHECKS])

/** Body of `POST /api/guardrailpolicies/{ns}/{name}/try`. */
export const TryGuardrailsBody = Type.Object(
  {
    stage: described(stage, 'Content that the rules see.', 'request'),
    body: exemplified(
      described(
        anyValue,
        'request: the body of a model call, or the text of a user. response: the text of a response. tool_call: an object with `name` and `arguments`.',
      ),
      'Write to ann@example.com',
    ),
  },
  { additionalProperties: false, title: 'TryGuardrails' },
)

const hit = {
  rule: Type.String({ description: 'Name of the rule.', examples: ['contacts'] }),
  check: described(check, 'Check of the rule.', 'pii'),
  action: described(action, 'Action of the rule.', 'mask'),
}

/** Response of `POST /api/guardrailpolicies/{ns}/{name}/try`. */
export const GuardrailTrial = Type.Object(
  {
    decision: described(
      Type.Enum(['pass', 'block', 'require_approval']),
      'What would happen: the content passes with its masks, the call is refused, or its run pauses.',
      'pass',
    ),
    by: described(Type.Union([Type.String(), Type.Null()]), 'Rule that decided; null if the content passes.', null),
    hits: Type.Array(
      Type.Object({ ...hit, count: Type.Integer({ description: 'Matches of the rule.', examples: [1] }) }),
      { description: 'Rules with matches, up to the decision.' },
    ),
    skipped: exemplified(
      Type.Array(Type.Object(hit), {
        description: 'Rules that are not tried: their check is an HTTP service, which gets no content of a trial.',
      }),
      [],
    ),
    body: exemplified(
      described(anyValue, 'The body with masks, in the form of the request; null unless it passes.'),
      'Write to [contact].',
    ),
  },
  { title: 'GuardrailTrial' },
)
