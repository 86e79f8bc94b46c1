package main

// Tables of KFP 2.17.0, as backend/src/apiserver/model describes them to GORM: names, types, keys and indexes.

import (
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// Text is longer than what a key may hold (model/common.go:30).
type Text string

func (Text) GormDBDataType(db *gorm.DB, _ *schema.Field) string {
	if db.Dialector.Name() == "mysql" {
		return "LONGTEXT"
	}
	return "TEXT"
}

// model/experiment.go:17
type Experiment struct {
	UUID                  string `gorm:"column:UUID; not null; primaryKey; type:varchar(191);"`
	Name                  string `gorm:"column:Name; not null; uniqueIndex:idx_name_namespace; type:varchar(128);"`
	Description           string `gorm:"column:Description; not null;"`
	CreatedAtInSec        int64  `gorm:"column:CreatedAtInSec; not null;"`
	LastRunCreatedAtInSec int64  `gorm:"column:LastRunCreatedAtInSec; not null;"`
	Namespace             string `gorm:"column:Namespace; not null; uniqueIndex:idx_name_namespace; type:varchar(63)"`
	StorageState          string `gorm:"column:StorageState; not null;"`
}

// model/pipeline.go:33
type Pipeline struct {
	UUID             string `gorm:"column:UUID; not null; primaryKey; type:varchar(64);"`
	CreatedAtInSec   int64  `gorm:"column:CreatedAtInSec; not null;"`
	Name             string `gorm:"column:Name; not null; uniqueIndex:namespace_name; type:varchar(128);"`
	DisplayName      string `gorm:"column:DisplayName; not null"`
	Description      Text   `gorm:"column:Description; not null"`
	Parameters       Text   `gorm:"column:Parameters;"`
	Status           string `gorm:"column:Status; not null;"`
	DefaultVersionId string `gorm:"column:DefaultVersionId;"`
	Namespace        string `gorm:"column:Namespace; uniqueIndex:namespace_name; type:varchar(63);"`
}

// model/pipeline_version.go:31
type PipelineVersion struct {
	UUID            string   `gorm:"column:UUID; not null; primaryKey; type:varchar(191);"`
	CreatedAtInSec  int64    `gorm:"column:CreatedAtInSec; not null; index:idx_pipeline_versions_CreatedAtInSec;"`
	Name            string   `gorm:"column:Name; not null; type:varchar(127); uniqueIndex:idx_pipelineid_name;"`
	DisplayName     string   `gorm:"column:DisplayName; not null"`
	Parameters      Text     `gorm:"column:Parameters; not null;"`
	PipelineId      string   `gorm:"column:PipelineId; not null; index:idx_pipeline_versions_PipelineId; uniqueIndex:idx_pipelineid_name; type:varchar(64)"`
	Pipeline        Pipeline `gorm:"foreignKey:PipelineId; references:UUID; constraint:pipeline_versions_PipelineId_pipelines_UUID_foreign,OnDelete:CASCADE,OnUpdate:CASCADE"`
	Status          string   `gorm:"column:Status; not null;"`
	CodeSourceUrl   string   `gorm:"column:CodeSourceUrl;"`
	Description     Text     `gorm:"column:Description;"`
	PipelineSpec    Text     `gorm:"column:PipelineSpec; not null;"`
	PipelineSpecURI Text     `gorm:"column:PipelineSpecURI; not null;"`
}

// model/pipeline_custom_metadata.go:20
type PipelineTag struct {
	PipelineID string   `gorm:"column:PipelineId; not null; primaryKey; type:varchar(64); index:idx_pipeline_tags_key_value_id,priority:3"`
	TagKey     string   `gorm:"column:TagKey; not null; primaryKey; type:varchar(63); index:idx_pipeline_tags_key_value_id,priority:1"`
	TagValue   string   `gorm:"column:TagValue; not null; type:varchar(63); index:idx_pipeline_tags_key_value_id,priority:2"`
	Pipeline   Pipeline `gorm:"foreignKey:PipelineID; references:UUID; constraint:pipeline_tags_PipelineId_pipelines_UUID_foreign,OnDelete:CASCADE,OnUpdate:CASCADE"`
}

// model/resource_reference.go:151
type ResourceReference struct {
	ResourceUUID  string `gorm:"column:ResourceUUID; not null; primaryKey; type:varchar(191);"`
	ResourceType  string `gorm:"column:ResourceType; not null; primaryKey; index:referencefilter;"`
	ReferenceUUID string `gorm:"column:ReferenceUUID; not null; index:referencefilter; type:varchar(191);"`
	ReferenceName string `gorm:"column:ReferenceName; not null;"`
	ReferenceType string `gorm:"column:ReferenceType; not null; primaryKey; index:referencefilter;"`
	Relationship  string `gorm:"column:Relationship; not null;"`
	Payload       Text   `gorm:"column:Payload; not null;"`
}

// model/run.go:207, with the columns of its parts, pipeline_spec.go:17, runtime_config.go:17 and run.go:310
type RunDetail struct {
	UUID                    string      `gorm:"column:UUID; not null; primaryKey; type:varchar(191);"`
	DisplayName             string      `gorm:"column:DisplayName; not null;"`
	Name                    string      `gorm:"column:Name; not null;"`
	Description             string      `gorm:"column:Description; not null;"`
	Namespace               string      `gorm:"column:Namespace; type:varchar(63); not null; index:namespace_createatinsec,priority:1; index:namespace_conditions_finishedatinsec,priority:1"`
	ExperimentId            string      `gorm:"column:ExperimentUUID; type:varchar(64); not null; index:experimentuuid_createatinsec,priority:1; index:experimentuuid_conditions_finishedatinsec,priority:1"`
	RecurringRunId          string      `gorm:"column:JobUUID; default:null;"`
	StorageState            string      `gorm:"column:StorageState; not null;"`
	ServiceAccount          string      `gorm:"column:ServiceAccount; not null;"`
	Metrics                 []RunMetric `gorm:"foreignKey:RunUUID; references:UUID; constraint:run_metrics_RunUUID_run_details_UUID_foreign,OnDelete:CASCADE,OnUpdate:CASCADE"`
	CreatedAtInSec          int64       `gorm:"column:CreatedAtInSec; not null; index:experimentuuid_createatinsec,priority:2; index:namespace_createatinsec,priority:2"`
	ScheduledAtInSec        int64       `gorm:"column:ScheduledAtInSec; default:0;"`
	FinishedAtInSec         int64       `gorm:"column:FinishedAtInSec; default:0; index:experimentuuid_conditions_finishedatinsec,priority:3; index:namespace_conditions_finishedatinsec,priority:3"`
	Conditions              string      `gorm:"column:Conditions; type:varchar(125); not null; index:experimentuuid_conditions_finishedatinsec,priority:2; index:namespace_conditions_finishedatinsec,priority:2"`
	State                   string      `gorm:"column:State; default:null;"`
	StateHistory            Text        `gorm:"column:StateHistory; default:null;"`
	PipelineRuntimeManifest Text        `gorm:"column:PipelineRuntimeManifest; not null;"`
	WorkflowRuntimeManifest Text        `gorm:"column:WorkflowRuntimeManifest; not null;"`
	PipelineId              string      `gorm:"column:PipelineId; not null;"`
	PipelineVersionId       string      `gorm:"column:PipelineVersionId; default:null;"`
	PipelineName            string      `gorm:"column:PipelineName; not null;"`
	PipelineSpecManifest    Text        `gorm:"column:PipelineSpecManifest;"`
	WorkflowSpecManifest    Text        `gorm:"column:WorkflowSpecManifest;"`
	Parameters              Text        `gorm:"column:Parameters;"`
	RuntimeParameters       Text        `gorm:"column:RuntimeParameters;"`
	PipelineRoot            Text        `gorm:"column:PipelineRoot;"`
}

// model/run.go:337
type RunMetric struct {
	RunUUID     string  `gorm:"column:RunUUID; not null; primaryKey; type:varchar(191);"`
	NodeID      string  `gorm:"column:NodeID; not null; primaryKey; type:varchar(191);"`
	Name        string  `gorm:"column:Name; not null; primaryKey; type:varchar(191);"`
	NumberValue float64 `gorm:"column:NumberValue;"`
	Format      string  `gorm:"column:Format;"`
	Payload     Text    `gorm:"column:Payload; not null;"`
}

// model/task.go:21
type Task struct {
	UUID             string    `gorm:"column:UUID; not null; primaryKey; type:varchar(191);"`
	Namespace        string    `gorm:"column:Namespace; not null;"`
	PipelineName     string    `gorm:"column:PipelineName; not null;"`
	RunID            string    `gorm:"column:RunUUID; type:varchar(191); not null; index:tasks_RunUUID_run_details_UUID_foreign;"`
	Run              RunDetail `gorm:"foreignKey:RunID; references:UUID; constraint:tasks_RunUUID_run_details_UUID_foreign,OnDelete:CASCADE,OnUpdate:CASCADE;"`
	PodName          string    `gorm:"column:PodName; not null;"`
	CreatedTimestamp int64     `gorm:"column:CreatedTimestamp; not null;"`
	Fingerprint      string    `gorm:"column:Fingerprint; not null;"`
	Name             string    `gorm:"column:Name; default:null"`
	Payload          Text      `gorm:"column:Payload; default:null;"`
}

// model/db_status.go:17
type DbStatus struct {
	HaveSamplesLoaded bool `gorm:"column:HaveSamplesLoaded; not null; primaryKey;"`
}

// model/default_experiment.go:17
type DefaultExperiment struct {
	DefaultExperimentId string `gorm:"column:DefaultExperimentId; not null; primaryKey; type:varchar(191);"`
}

func models() []any {
	return []any{
		&DbStatus{}, &DefaultExperiment{}, &Experiment{}, &Pipeline{}, &PipelineVersion{}, &PipelineTag{},
		&ResourceReference{}, &RunDetail{}, &RunMetric{}, &Task{},
	}
}
