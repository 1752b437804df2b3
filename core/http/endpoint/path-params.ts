import type { DnsLabel, DnsName } from '#core/kube/names.ts'

/** `:ns`, `:namespace` and `:name` are parsed first (K5); other parameters by their schema. */
export interface PathNames {
  readonly ns: DnsLabel
  readonly namespace: DnsLabel
  readonly name: DnsName
}

type UpToSlash<Text extends string> = Text extends `${infer Name}/${string}` ? Name : Text

/** Parameters of a path: `ns` and `name` of `/agents/:ns/:name`, `*` of one that ends with it. */
export type NamesIn<Url extends string> = Url extends `${string}/:${infer Rest}`
  ? UpToSlash<Rest> | NamesIn<`/${Rest}`>
  : Url extends `${string}/*`
    ? '*'
    : never

type ParamOf<Name extends string, Given> = Name extends keyof PathNames
  ? Name extends keyof Given
    ? Given[Name] & PathNames[Name]
    : PathNames[Name]
  : Name extends keyof Given
    ? Given[Name]
    : never

/** Type of a handler's `params`: the parameters of a literal path, each of the type of its schema or a Kubernetes name. */
export type ParamsOf<Url extends string, Given> = string extends Url
  ? Given & PathNames
  : { readonly [Name in NamesIn<Url>]: ParamOf<Name, Given> }
