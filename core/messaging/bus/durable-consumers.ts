import { toSubjects } from '../wire/subjects.ts'

/** A durable consumer of the worker or of a configured integrator. */
export interface DurablePlan {
  readonly durable: string
  readonly subjects: readonly string[]
}

/** An integrator that may pull domain events over NATS. */
export interface IntegratorSetting {
  readonly name: string
  readonly namespaces: readonly string[]
  readonly types: readonly string[] | 'all'
}

/** Name of the durable of a consumer: JetStream names contain no dots. */
export function toDurable(consumer: string): string {
  return consumer.replaceAll('.', '-')
}

/** Durables of an installation: its consumers and the configured integrators. */
export function planOf(
  consumers: readonly { readonly name: string; readonly types: readonly string[] | 'all' }[],
  integrators: readonly IntegratorSetting[] = [],
): readonly DurablePlan[] {
  return [
    ...consumers.map(({ name, types }) => ({ durable: toDurable(name), subjects: toSubjects(types) })),
    ...integrators.map(({ name, namespaces, types }) => ({
      durable: `integrator-${name}`,
      subjects: toSubjects(types, namespaces),
    })),
  ]
}
