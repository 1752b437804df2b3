import { toSubjects } from '../wire/subjects.ts'

/** What the worker's consumers and the listed integrators pull from. */
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

/** The durable of a consumer: names of JetStream have no dots. */
export function toDurable(consumer: string): string {
  return consumer.replaceAll('.', '-')
}

/** The durables of an install: its consumers and the integrators that settings list. */
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
