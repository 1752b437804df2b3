import { CONDITION_QUERY_PATTERN } from './condition-query.ts'
import { CONVERSATION_ID_DETAIL, CONVERSATION_ID_PATTERN } from '../names/conversation-id.ts'
import { DURATION_PATTERN } from './duration.ts'
import { MOUNT_PATH, RELATIVE_PATH } from './pod-limits.ts'

// Keyed by the pattern in the schema, so that neither CRDs nor the OpenAPI document need a mark. A test asserts that every pattern of a kind, the
// agent format and the API is here.
const texts: ReadonlyMap<string, string> = new Map([
  ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'must be a-z, 0-9 and -, beginning and ending with a letter or digit'],
  [
    '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
    'must be a-z, 0-9, - and ., each part beginning and ending with a letter or digit',
  ],
  [
    '^([a-z0-9]([-a-z0-9]*[a-z0-9])?/)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
    'must be a name such as fast, or namespace/name, of a-z, 0-9, - and .',
  ],
  [
    '^(\\*|([a-z0-9]([-a-z0-9]*[a-z0-9])?/)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$',
    'must be a route such as fast, or namespace/name, or * for every route',
  ],
  [
    '^[A-Za-z_][A-Za-z0-9_.-]{0,63}$',
    'must be the name of a parameter: letters, digits, _, . and -, not beginning with a digit',
  ],
  ['^[a-z]([-a-z0-9]*[a-z0-9])?$', 'must be a-z, 0-9 and -, beginning with a letter and ending with a letter or digit'],
  ['^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$', 'must be a-z, 0-9, - and ., beginning and ending with a letter or digit'],
  ['^[a-z0-9]([-_a-z0-9]*[a-z0-9])?$', 'must be a-z, 0-9, - and _, beginning and ending with a letter or digit'],
  [
    '^(\\*|[A-Za-z0-9_][A-Za-z0-9_.:/-]*)$',
    'must be the name of a tool (letters, digits, _, ., :, / and -), or * for every tool',
  ],
  ['^(\\*|[-._a-zA-Z0-9]+)$', 'must be the name of a tool (letters, digits, -, _ and .), or * for every tool'],
  ['^(\\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$', 'must be the name of a namespace, or * for every namespace'],
  ['^[A-Za-z_][A-Za-z0-9_]*$', 'must be the name of a variable: letters, digits and _, not beginning with a digit'],
  ['^[-._a-zA-Z0-9]+$', 'must be letters, digits, -, _ and .'],
  ['^[A-Za-z0-9_-]+$', 'must be letters, digits, _ and -'],
  [
    '^[a-z][A-Za-z0-9.-]*(/[a-z][A-Za-z0-9-]*)?$',
    'must be the type of an evaluator such as exact, or domain/name of a plugin',
  ],
  ['^(deployed|[1-9][0-9]{0,8})$', 'must be the number of a revision, or deployed'],
  ['^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$', 'must be letters, digits, ., _, / and -, at most 63 characters'],
  ['^[^\\s]+$', 'must not contain white space'],
  ['^[A-Z]{3}$', 'must be the code of a currency such as USD'],
  ['^[0-9]{1,12}(\\.[0-9]{1,6})?$', 'must be an amount such as 12.50, with at most six decimal places'],
  [
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$',
    'must be a quantity such as 500m, 2 or 128Mi',
  ],
  ['^https?://[^\\s/?#@]+(/[^\\s#]*)?$', 'must be an http or https URL without user and fragment'],
  ['^[-a-z0-9./*]+$', 'must be the name of a model such as shared/gpt, with * for any characters'],
  [
    '^[-A-Za-z0-9 _.:*#<>()\\[\\]]*$',
    'must be letters, digits, spaces, -, _, ., :, *, #, and brackets other than braces',
  ],
  ['^https?://[^\\s/?#@]+(/[^\\s?#]*)?$', 'must be an http or https URL without user, query and fragment'],
  [
    '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    'must be an id such as 0190a5c2-7d1e-7c3a-9b2f-1a2b3c4d5e6f',
  ],
  ['^[0-9a-f]{32}$', 'must be an id of a trace, 32 lowercase hexadecimal digits'],
  ['^(current|[1-9][0-9]{0,15})$', 'must be the number of a revision, or current'],
  ['^\\d{6}-\\d{20}$', 'must be the sequence of an event, such as 000001-00000000000000000042'],
  ['^start$|^\\d{6}-\\d{20}$', 'must be start, or the sequence of an event, such as 000001-00000000000000000042'],
  ['^[a-z0-9-]+$', 'must be lowercase letters, digits and -'],
  ['^[\\x20-\\x7e]*$', 'must be visible ASCII without line breaks'],
  ['^[\\x21-\\x7e]+$', 'must be visible ASCII without spaces and line breaks'],
  // Settings
  ['^[0-9a-fA-F:.]{2,45}(?:/[0-9]{1,3})?$', 'must be an IP address or a CIDR block'],
  ['^[a-z0-9.-]+$', 'must be a lowercase host name'],
  ['^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$', 'must be a-z, 0-9 and -, at most 32 characters'],
  ['^https?://[^@?#\\s]+$', 'must be an http or https URL without user, query and fragment'],
  ['^https?://[^\\s?#@]+$', 'must be an http or https URL without user, query and fragment'],
  ['^(5xx|timeout)$', 'must be a status such as 429, 5xx, or timeout'],
  ['^https?://[^\\s]+$', 'must be an http or https URL'],
  ['^sha256:[0-9a-f]{64}$', 'must be sha256: and 64 lowercase hexadecimal digits'],
  ['^sha256-[A-Za-z0-9+/]{43}=$', 'must be sha256- and a hash in base64'],
  [DURATION_PATTERN, 'must be a duration such as 30s or 10m'],
  [CONDITION_QUERY_PATTERN, 'must be the type of a condition such as Ready or example.com/Scaled, or one after !'],
  [CONVERSATION_ID_PATTERN, CONVERSATION_ID_DETAIL],
  [
    MOUNT_PATH,
    'must be an absolute path of letters, digits, -, _, ., @, +, = and ~, without . or .. and without a / at its end',
  ],
  [RELATIVE_PATH, 'must be a relative path of letters, digits, -, _, ., @, +, = and ~, without . or ..'],
])

/** Describes a pattern in words for messages; returns the pattern itself if it has no description. */
export function patternText(pattern: string): string {
  return texts.get(pattern) ?? `must match ${pattern}`
}
