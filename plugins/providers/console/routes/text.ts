import { plural } from '#ui/text/plural.ts'

/** The words of the pages of model routes, in English. */
export const routesText = {
  title: 'Model routes',
  noun: 'model route',
  about:
    'A route is the name under which agents call a model. It says which provider serves it, and which one when that fails.',
  columns: { calls: 'Calls', fallbacks: 'Fallbacks', circuits: 'Circuits' },
  several: (first: string, rest: number) => `${first} and ${rest} more`,
  path: {
    title: 'Where a call goes',
    call: 'A call of',
    single: 'One provider serves every call.',
    shared: (count: number) =>
      `${plural(count, 'target', 'targets')} share the calls; those of a run stay at one while it works.`,
    targets: 'Targets',
    fallbacks: 'When that fails, in this order',
    none: 'Nothing is tried after it: add a fallback, and the route outlives a failure of the provider.',
    share: (percent: string) => `${percent} of runs`,
    whole: 'Every call',
    order: (place: number) => `Fallback ${place}`,
    priced: (input: string, output: string) => `${input} in, ${output} out by million tokens`,
    noPrice: 'No price on the route',
  },
  circuits: {
    closed: 'Circuit closed',
    'half-open': 'Circuit half open',
    open: 'Circuit open',
    unknown: 'No calls yet',
    lastError: (words: string) => `last error: ${words}`,
    gateways: (open: number, all: number) => `open at ${open} of ${all} gateways`,
  },
  rules: {
    title: 'Rules of its calls',
    retries: 'Retries',
    retryOn: 'Retry on',
    timeout: 'First byte within',
    breaker: 'Circuit opens after',
    breakerOf: (failures: number, openFor: string) =>
      `${plural(failures, 'failure', 'failures')} in a row, for ${openFor}`,
    maxOutputTokens: 'Most output tokens',
    passHeaders: 'Passed headers',
    allowedParams: 'Further parameters',
    allowedNamespaces: 'Namespaces that may call it',
    none: 'The defaults of the gateway apply.',
  },
  usedBy: {
    title: 'Used by',
    none: 'Nothing that you may read uses it.',
    loading: 'Looking for what uses it',
  },
} as const
