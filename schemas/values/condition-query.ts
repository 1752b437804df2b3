/** The type of a condition as Kubernetes has it, after `!` for its absence; empty filters nothing. Controllers add types, so that no list of them is complete. */
export const CONDITION_QUERY_PATTERN =
  '^(!?([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$'
