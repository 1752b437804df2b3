/** Filters of `meshctl runs list` and `runs stats`. */
export const filterOptions = {
  agent: { value: 'NAME', help: 'runs of one agent' },
  state: { value: 'STATES', help: 'runs in these states, such as failed,timed_out' },
  'fail-reason': { value: 'REASONS', help: 'runs that failed for these reasons, such as model_error' },
  subject: { value: 'NAME', help: 'runs of one subject' },
  trigger: { value: 'KIND', help: 'runs that were started so, such as api' },
  model: { value: 'MODEL', help: 'runs whose first model call was to this model' },
  label: { value: 'KEY=VALUE', help: 'runs with this label' },
  'min-duration': { value: 'DURATION', help: 'ended runs that took at least this long, such as 30s' },
  q: { value: 'PREFIX', help: 'prefix of the id, the subject or the value of a label' },
  from: { value: 'TIME', help: 'runs that were created at this time (RFC 3339) or later' },
  to: { value: 'TIME', help: 'runs that were created before this time' },
} as const

/** Further options of `meshctl runs list`. */
export const orderOptions = {
  since: { value: 'TIME', help: 'another name of --from' },
  order: { value: 'ORDER', help: 'newest, oldest or longest' },
} as const

/** Further options of `meshctl runs stats`. */
export const statsOptions = {
  'group-by': { value: 'GROUP', help: 'agent, state, failReason, model, subject, trigger or tenant' },
  interval: { value: 'DURATION', help: 'width of bins, such as 1h; shown with -o json' },
  top: { value: 'N', help: 'number of groups, at most 50' },
} as const

const names = Object.keys({ ...filterOptions, ...orderOptions, ...statsOptions })

/** The query of options: `--min-duration` is `minDuration`. Pure. */
export function toRunQuery(values: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const given = names.flatMap((name) => (typeof values[name] === 'string' ? [[name, values[name]] as const] : []))
  return Object.fromEntries(
    given.map(([name, value]) => [name.replaceAll(/-(.)/g, (_, sign: string) => sign.toUpperCase()), value]),
  )
}
