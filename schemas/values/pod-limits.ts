import { KEYS_SECRET_SUFFIX } from '../names/labels.ts'

// Without TypeBox, whose import costs more than the check of an agent file. Patterns are both RE2 and JavaScript.

/** Sources of a volume that an agent may have: those of Pod Security `restricted` that declare what they mount (ADR 0038). */
export const VOLUME_SOURCES = [
  'emptyDir',
  'configMap',
  'secret',
  'persistentVolumeClaim',
  'projected',
  'downwardAPI',
  'ephemeral',
] as const

/** Refused sources that users often try: the schema has them, so that the refusal can list the allowed sources. */
export const REFUSED_SOURCES = ['hostPath', 'nfs', 'csi', 'iscsi', 'image', 'gitRepo', 'flexVolume'] as const

/** Sources of a projected volume. */
export const PROJECTION_SOURCES = ['configMap', 'secret', 'downwardAPI'] as const

/** Volumes of the platform in the pods of an agent. */
export const PLATFORM_VOLUMES: readonly string[] = [
  'agent-config',
  'agent-keys',
  'agent-tmp',
  'agent-tokens',
  'launcher-tokens',
]

// Neither `.` nor `..`, nor a name that begins with two dots, which the kubelet uses for its own files in a volume.
const SEGMENT = '[.]?[-_@+=~A-Za-z0-9][-._@+=~A-Za-z0-9]*'

/** A path inside a volume. */
export const RELATIVE_PATH = `^${SEGMENT}(/${SEGMENT})*$`

/** An absolute path in its shortest form: no double slash, none at the end, no colon. */
export const MOUNT_PATH = `^(/${SEGMENT})+$`

/** Paths of the platform and of the system in a container, and every path that contains one. */
export const RESERVED_PATHS = '^/(mesh|proc|sys|dev|etc/mesh|run/secrets|var/run/secrets)(/|$)|^/(etc|run|var|var/run)$'

/** Shared memory: a separate mount, and small by default. */
export const SHARED_MEMORY = '/dev/shm'

const NAME = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?'

/** `domain/name` or `name`. */
export const ANNOTATION_KEY = `^([a-z0-9][-a-z0-9.]{0,252}/)?${NAME}$`

/**
 * Annotations that change what a pod may do, or belong to the platform. Container runtimes read keys without a domain
 * and with a dot (`io.kubernetes.cri-o.userns-mode`, `run.oci.keep_original_groups`).
 */
export const REFUSED_ANNOTATIONS =
  '^([^/]+[.])?mesh[.]dev/|^(k8s|kubernetes)[.]io/|^[^/]*(apparmor|seccomp|security)[^/]*[.](k8s|kubernetes)[.]io/|^[^/]*[.][^/]*$'

/** Messages for violated rules: of the API, the cluster and conditions. */
export const POD_MESSAGES = {
  source: `exactly one source is required, of ${VOLUME_SOURCES.join(', ')}; no other is allowed`,
  projection: `exactly one source is required, of ${PROJECTION_SOURCES.join(', ')}; no other is allowed`,
  item: 'exactly one source is required',
  volumeName: 'this name belongs to a volume of the platform',
  unknownVolume: 'every mount names a volume of spec.pod.volumes',
  reservedPath:
    'is a path of the platform or the system: not /mesh, /etc/mesh, /run/secrets, /var/run/secrets, /proc, /sys, /dev (but /dev/shm), or a folder that contains one',
  annotation:
    'keys must be domain/name or name, and not of mesh.dev, kubernetes.io, k8s.io, or of AppArmor, seccomp or a container runtime',
  agentKeys: 'Secrets with the keys of agents are for their launchers alone',
} as const

/** Whether a mount would shadow a path of the platform or the system. */
export function isReservedPath(path: string): boolean {
  return path !== SHARED_MEMORY && new RegExp(RESERVED_PATHS).test(path)
}

/** Whether a pod of an agent must not have an annotation with this key. */
export function isRefusedAnnotation(key: string): boolean {
  return key.length > 317 || !new RegExp(ANNOTATION_KEY).test(key) || new RegExp(REFUSED_ANNOTATIONS).test(key)
}

/** Whether the name of a Secret is reserved for the keys of an agent. */
export function isAgentKeysName(name: string): boolean {
  return name.endsWith(KEYS_SECRET_SUFFIX)
}
