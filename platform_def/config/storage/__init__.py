"""What a stack says of volumes: its storage classes, which kinds of storage they serve, data that is there already."""

from platform_def.config.storage.entries import AccessMode as AccessMode
from platform_def.config.storage.entries import AnyStorage as AnyStorage
from platform_def.config.storage.entries import Binding as Binding
from platform_def.config.storage.entries import BlockEncryption as BlockEncryption
from platform_def.config.storage.entries import Ceph as Ceph
from platform_def.config.storage.entries import CephFs as CephFs
from platform_def.config.storage.entries import DomainPool as DomainPool
from platform_def.config.storage.entries import Encryption as Encryption
from platform_def.config.storage.entries import ExistingStorage as ExistingStorage
from platform_def.config.storage.entries import HostFolder as HostFolder
from platform_def.config.storage.entries import LocalPath as LocalPath
from platform_def.config.storage.entries import Nfs as Nfs
from platform_def.config.storage.entries import Provisioned as Provisioned
from platform_def.config.storage.entries import Rbd as Rbd
from platform_def.config.storage.entries import SecretRef as SecretRef
from platform_def.config.storage.entries import StorageMap as StorageMap
from platform_def.config.storage.kinds import ChosenStorage as ChosenStorage
from platform_def.config.storage.kinds import StorageKind as StorageKind
from platform_def.config.storage.kinds import choose as choose
from platform_def.config.storage.volumes import DatasetConfig as DatasetConfig
from platform_def.config.storage.volumes import LocalCopy as LocalCopy
from platform_def.config.storage.volumes import LocalDisk as LocalDisk
from platform_def.config.storage.volumes import StaticVolume as StaticVolume
