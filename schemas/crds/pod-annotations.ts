import { Type } from 'typebox'
import { ANNOTATION_KEY, POD_MESSAGES, REFUSED_ANNOTATIONS } from '../values/pod-limits.ts'

/** Annotations of the pods. */
export const annotations = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string', maxLength: 16384 },
  maxProperties: 32,
  description: 'Annotations of the pods, as far as the operator allows their domains.',
  'x-kubernetes-validations': [
    {
      rule: `self.all(key, key.matches('${ANNOTATION_KEY}') && !key.matches('${REFUSED_ANNOTATIONS}'))`,
      message: POD_MESSAGES.annotation,
    },
  ],
})
