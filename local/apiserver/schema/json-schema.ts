import type { Json } from '../json/json-value.ts'

/** Schema node of apiextensions v1 (`openAPIV3Schema`): the fields that are used here. */
export type JsonSchema = {
  type?: string
  description?: string
  format?: string
  properties?: { [name: string]: JsonSchema }
  required?: string[]
  items?: JsonSchema
  additionalProperties?: boolean | JsonSchema
  enum?: Json[]
  default?: Json
  nullable?: boolean
  pattern?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: boolean
  exclusiveMaximum?: boolean
  multipleOf?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minProperties?: number
  maxProperties?: number
  allOf?: JsonSchema[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  not?: JsonSchema
  'x-kubernetes-preserve-unknown-fields'?: boolean
  'x-kubernetes-int-or-string'?: boolean
  'x-kubernetes-embedded-resource'?: boolean
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  'x-kubernetes-list-map-keys'?: string[]
  'x-kubernetes-map-type'?: 'atomic' | 'granular'
  'x-kubernetes-patch-strategy'?: string
  /** Set on fields of built-in kinds that are Go structs: present even when empty. */
  'x-go-struct'?: boolean
  /** Name of the Go type of a component of a built-in kind: field ownership depends on it. */
  'x-go-type'?: string
  'x-kubernetes-patch-merge-key'?: string
  'x-kubernetes-validations'?: {
    rule: string
    message?: string
    messageExpression?: string
    reason?: string
    fieldPath?: string
    optionalOldSelf?: boolean
  }[]
}
