// Imported late, and by name: a bundle has then what KubeConfig uses, and not the 4.5 MB of generated clients.
export { KubeConfig } from '@kubernetes/client-node'
