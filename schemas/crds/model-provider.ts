import { Type } from 'typebox'
import type { Static } from 'typebox'
import { durationBounds } from '../values/duration.ts'
import { defineKind } from '../kinds/kind.ts'
import type { ObjectOf } from '../kinds/kind.ts'
import { requestHeaders } from './request-headers.ts'
import { modelPrice } from '../kinds/prices.ts'
import { allowedNamespaces, conditionsStatus, duration, freeObject, secretKeyRef } from '../kinds/parts.ts'

const scriptedToolCall = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 128, description: 'Name of the tool.' }),
    arguments: Type.Optional(freeObject('Arguments of the call.')),
  },
  { additionalProperties: false, description: 'A tool call that the mock answers with.' },
)

const scriptStep = Type.Object(
  {
    contains: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'The step applies when the last user message contains this string.',
      }),
    ),
    systemContains: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'The step applies only when the system prompt contains this string, too.',
      }),
    ),
    toolCalls: Type.Optional(
      Type.Array(scriptedToolCall, {
        maxItems: 16,
        description: 'Calls answered once per user message; reply follows their results.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    reply: Type.Optional(Type.String({ maxLength: 65536, description: 'Text of the answer.' })),
  },
  {
    additionalProperties: false,
    description: 'What the mock answers.',
    'x-kubernetes-validations': [
      { rule: 'has(self.reply) || has(self.toolCalls)', message: 'reply or toolCalls is required' },
    ],
  },
)

const azure = Type.Object(
  {
    apiVersion: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 32,
        pattern: '^[a-z0-9-]+$',
        description: 'Sent as api-version, such as preview. The v1 API needs none.',
      }),
    ),
  },
  { additionalProperties: false, description: 'An endpoint of Azure OpenAI. The key is sent as api-key then.' },
)

/** Fields of a provider that also stand in the request which connects one. */
export const addressFields = {
  type: Type.Enum(['openai', 'anthropic', 'mock'], {
    description:
      'openai is any endpoint that speaks the OpenAI API, anthropic one that speaks the Messages API; mock answers deterministically without one.',
  }),
  baseUrl: Type.Optional(
    Type.String({
      maxLength: 2048,
      pattern: '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$',
      description:
        'Address up to and including the version, such as https://api.openai.com/v1, the default of openai. That of anthropic is https://api.anthropic.com/v1.',
    }),
  ),
  organization: Type.Optional(Type.String({ maxLength: 128, description: 'Sent as OpenAI-Organization.' })),
  headers: Type.Optional(requestHeaders),
  azure: Type.Optional(azure),
}

const spec = Type.Object(
  {
    ...addressFields,
    secretRef: Type.Optional(secretKeyRef('Secret that holds the API key.')),
    timeout: Type.Optional(
      duration(durationBounds.firstByte, 'Maximum time to wait for the first byte of a response.'),
    ),
    mock: Type.Optional(
      Type.Object(
        {
          script: Type.Array(scriptStep, {
            maxItems: 64,
            description: 'The first step that applies determines the response; without one, the response is MOCK_OK.',
            'x-kubernetes-list-type': 'atomic',
          }),
        },
        { additionalProperties: false, description: 'Script of a mock provider.' },
      ),
    ),
    prices: Type.Optional(
      Type.Array(modelPrice, {
        maxItems: 256,
        description:
          'Prices of models for callers in other namespaces. For callers in the same namespace or tenant, they can only raise a price that is set elsewhere.',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['model'],
      }),
    ),
    allowedNamespaces: Type.Optional(allowedNamespaces),
  },
  {
    additionalProperties: false,
    description: 'Endpoint that serves models, and its key.',
    'x-kubernetes-validations': [
      {
        rule: "self.type != 'mock' || !(has(self.baseUrl) || has(self.secretRef) || has(self.organization))",
        message: 'a mock provider has neither baseUrl nor secretRef nor organization',
      },
      {
        rule: "self.type != 'mock' || !has(self.headers)",
        message: 'a mock provider sends no request',
        fieldPath: '.headers',
      },
      {
        rule: "self.type == 'openai' || !has(self.azure)",
        message: 'only a provider of type openai is an endpoint of Azure',
        fieldPath: '.azure',
      },
      {
        rule: "self.type != 'anthropic' || !has(self.organization)",
        message: 'an anthropic provider has no organization',
        fieldPath: '.organization',
      },
      {
        rule: "self.type == 'mock' || !has(self.mock)",
        message: 'only a mock provider has a script',
        fieldPath: '.mock',
      },
    ],
  },
)

/** Endpoint of models, and the key for it. */
export const ModelProvider = defineKind({
  kind: 'ModelProvider',
  plural: 'modelproviders',
  singular: 'modelprovider',
  shortNames: ['mp'],
  scope: 'Namespaced',
  description: 'A model provider: its address, and the Secret that holds its key.',
  spec,
  status: conditionsStatus,
  audited: ['type', 'baseUrl', 'secretRef.name', 'secretRef.key', 'organization', 'timeout'],
  printerColumns: [
    { name: 'Type', type: 'string', jsonPath: '.spec.type' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'URL', type: 'string', jsonPath: '.spec.baseUrl', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
})

/** See {@link ModelProvider}. */
export type ModelProviderSpec = Static<typeof spec>

/** A model provider in its wire format. */
export type ModelProviderObject = ObjectOf<typeof ModelProvider>
