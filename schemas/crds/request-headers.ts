import { Type } from 'typebox'

// Those that carry a credential, name the caller or the host, or belong to the connection (RFC 9110, section 7.6.1).
const reserved = (
  'accept api-key authorization connection content-length content-type cookie expect forwarded host keep-alive proxy-authorization ' +
  'proxy-connection te trailer transfer-encoding upgrade via traceparent tracestate x-api-key x-forwarded-for x-forwarded-host x-forwarded-proto'
).split(' ')
const reservedList = `[${reserved.map((name) => `'${name}'`).join(', ')}]`

/** Headers that a provider's endpoint gets with every request. */
export const requestHeaders = Type.Array(
  Type.Object(
    {
      name: Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: '^[a-z0-9-]+$',
        description: 'Name in lowercase. Headers of credentials, of the connection and of proxies are refused.',
      }),
      value: Type.String({
        maxLength: 1024,
        pattern: '^[\\x20-\\x7e]*$',
        description: 'Value in visible ASCII. It is not secret.',
      }),
    },
    {
      additionalProperties: false,
      description: 'A header.',
      'x-kubernetes-validations': [
        {
          rule: `!(self.name in ${reservedList})`,
          message: 'name is a header that the platform sets itself',
          fieldPath: '.name',
        },
      ],
    },
  ),
  {
    maxItems: 16,
    description: 'Headers of every request, such as http-referer of a reseller.',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  },
)

/** Names of headers that a route passes from its callers to its providers. */
export const passedHeaders = Type.Array(
  Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: '^[a-z0-9-]+$',
    description:
      'Name in lowercase. Headers of credentials, of the connection, of proxies and of the platform are refused.',
    'x-kubernetes-validations': [
      {
        rule: `!(self in ${reservedList}) && !self.startsWith('x-mesh-') && !self.startsWith('anthropic-')`,
        message: 'is a header that the platform sets itself',
      },
    ],
  }),
  {
    maxItems: 16,
    description: 'Headers of callers that providers receive, such as x-request-tag. No other header is passed on.',
    'x-kubernetes-list-type': 'set',
  },
)
