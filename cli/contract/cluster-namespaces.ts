/** Namespaces of the cluster of the context, as its user. */
export interface ClusterNamespaces {
  /** Creates a namespace that does not exist. One that ends is waited for. `denied`: it does not exist, and the user may not create it. */
  ensure(name: string): Promise<'created' | 'existed' | 'denied'>
  delete(name: string): Promise<void>
}
