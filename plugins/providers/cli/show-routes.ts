import type { ApiInput } from '#cli/contract/command.ts'
import { fieldOf } from '#cli/contract/field-of.ts'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import type { ModelRouteObject } from '#schemas/crds/model-route.ts'
import { primaryTargetsOf, providerOfTarget } from '#schemas/crds/route-targets.ts'
import type { TargetSpec } from '#schemas/crds/route-targets.ts'

const table: ResourceTable<ModelRouteObject> = {
  name: ({ metadata }) => `modelroute/${metadata.namespace}/${metadata.name}`,
  columns: {
    NAMESPACE: ({ metadata }) => metadata.namespace,
    NAME: ({ metadata }) => metadata.name,
    READY: readyOf,
    TARGETS: ({ metadata, spec }) => describe(primaryTargetsOf(spec), metadata.namespace),
    FALLBACKS: ({ metadata, spec }) => describe(spec.fallbacks ?? [], metadata.namespace),
    OPEN: ({ status }) => status?.targets?.filter(({ circuit }) => circuit !== 'closed').length,
    AGE: ({ metadata }) => metadata.creationTimestamp && new Date(metadata.creationTimestamp),
  },
}

interface RouteValues {
  readonly name: string
}

/** Lists routes. */
export async function printRoutes({
  api,
  scope,
  values,
  printer,
}: ApiInput<{ readonly limit: number }>): Promise<number> {
  await printer.list(table, await api.list<ModelRouteObject>(['modelroutes'], scope, values.limit))
  return 0
}

/** Shows a route. */
export async function getRoute(input: ApiInput<RouteValues>): Promise<number> {
  await input.printer.one(table, await readRoute(input))
  return 0
}

type ListedTarget = NonNullable<NonNullable<ModelRouteObject['status']>['targets']>[number]

const targetTable: ResourceTable<ListedTarget> = {
  name: ({ provider, model }) => `target/${provider}/${model}`,
  columns: {
    PROVIDER: ({ provider }) => provider,
    MODEL: ({ model }) => model,
    CIRCUIT: ({ circuit }) => circuit,
    ERROR: ({ lastErrorClass }) => lastErrorClass,
    GATEWAY: ({ gateway }) => gateway,
  },
}

/** Lists the targets of a route by what gateways report. */
export async function listTargets(input: ApiInput<RouteValues>): Promise<number> {
  const { status } = await readRoute(input)
  await input.printer.list(targetTable, { items: status?.targets ?? [], nextCursor: null })
  return 0
}

/** Deletes a route. */
export async function deleteRoute({ api, namespace, values: { name }, err }: ApiInput<RouteValues>): Promise<number> {
  await api.delete(['modelroutes', namespace, name])
  err(`modelroute/${namespace}/${name} deleted\n`)
  return 0
}

async function readRoute({ api, namespace, values }: ApiInput<RouteValues>): Promise<ModelRouteObject> {
  const route = await api.get<ModelRouteObject>(['modelroutes', namespace, values.name])
  fieldOf(route, 'metadata')
  return route
}

function readyOf({ status }: ModelRouteObject): string | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return ready?.status === 'False' ? ready.reason : ready?.status
}

function describe(targets: readonly TargetSpec[], own = ''): string | undefined {
  const named = targets.map((target) => {
    const { namespace, name } = providerOfTarget(target, own)
    const weight = target.weight === undefined ? '' : ` x${target.weight}`
    return `${namespace === own ? '' : `${namespace}/`}${name}:${target.model}${weight}`
  })
  return named.length === 0 ? undefined : named.join(',')
}
