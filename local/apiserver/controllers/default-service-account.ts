import type { KubeObject } from '../json/kube-object.ts'
import { stampNew } from '../rules/metadata.ts'
import { objectKey } from '../storage/stored.ts'
import type { ControllerContext } from './garbage-collector.ts'

const ACCOUNTS = '/serviceaccounts'

/** Creates the account `default` of a namespace if it is absent. */
export function ensureAccount({ store, kinds, now }: ControllerContext, namespace: string): void {
  const kind = kinds.byStore(ACCOUNTS)
  if (!kind || store.find(ACCOUNTS, objectKey(namespace, 'default'))) return
  const object: KubeObject = { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'default' } }
  stampNew(object, kind, namespace, now())
  store.put(ACCOUNTS, objectKey(namespace, 'default'), object)
}
