import { Type } from 'typebox'

// Those that carry a credential, name the caller or the host, or belong to the connection (RFC 9110, section 7.6.1).
const reservedHeaders = (
  'accept api-key authorization connection content-length content-type cookie expect forwarded host keep-alive proxy-authorization ' +
  'proxy-connection te trailer transfer-encoding upgrade via traceparent tracestate x-api-key x-forwarded-for x-forwarded-host x-forwarded-proto'
).split(' ')

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
          rule: `!(self.name in [${reservedHeaders.map((name) => `'${name}'`).join(', ')}])`,
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
