import { isIP } from 'node:net'

const HOSTNAME = /^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/
const GO_DURATION = /^[-+]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)(((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))*)$/
const WORD_DURATION = /^\s*(\d+(\.\d+)?\s*(ns|us|µs|ms|s|m|h|hr|hours?|minutes?|seconds?|d|days?|w|wk|weeks?))+\s*$/i

/** Checks of string formats; an unlisted format accepts every string, as in kube-apiserver. */
const FORMATS: { readonly [format: string]: (text: string) => boolean } = {
  'date-time': (text) =>
    /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text)),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  duration: (text) => GO_DURATION.test(text) || WORD_DURATION.test(text),
  uri: (text) => URL.canParse(text) || text.startsWith('/'),
  ipv4: (text) => isIP(text) === 4,
  ipv6: (text) => isIP(text) === 6,
  cidr: (text) => isCidr(text),
  hostname: (text) => text.length <= 255 && HOSTNAME.test(text),
  email: (text) => /^[^\s@<>]+@[^\s@<>]+$/.test(text),
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  mac: (text) => /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(text),
}

/** True when a string has a format. */
export function hasFormat(text: string, format: string): boolean {
  return FORMATS[format]?.(text) ?? true
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/')
  const version = isIP(address)
  return rest.length === 0 && version !== 0 && /^\d+$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)
}
