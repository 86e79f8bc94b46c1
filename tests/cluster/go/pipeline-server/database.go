package main

import (
	"database/sql"
	"errors"
	"fmt"
	"log"
	"strconv"
	"strings"
	"time"

	sq "github.com/Masterminds/squirrel"
	driver "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
)

const duplicate = 1062 // ER_DUP_ENTRY, which backend/src/apiserver/storage/db.go:84 knows

// Database is what the stores of KFP speak to. Whatever the server is, they speak MySQL's dialect
// (client_manager.go:379), with `?` for values and names of columns without quotes.
type Database struct{ *sql.DB }

// openDatabase is `InitDBClient`, backend/src/apiserver/client_manager/client_manager.go:333: it makes the database, and the
// tables by GORM.
func openDatabase(c Configuration) (Database, error) {
	name := c.Text("DBDriverName", "")
	made, hint := mysqlServer, "database exists" // dialect.go:39 and 48
	if name == "pgx" {
		made, hint = postgresServer, "already exists"
	}
	server, database := made(c, ""), c.Text(group(name)+".DBName", "")
	if err := createDatabase(name, server, database, hint); err != nil {
		return Database{}, err
	}
	var dialect gorm.Dialector = postgres.Open(made(c, database))
	if name == "mysql" {
		dialect = mysql.New(mysql.Config{DSN: made(c, database), DefaultStringSize: 255})
	}
	opened, err := gorm.Open(dialect, &gorm.Config{})
	if err != nil {
		return Database{}, err
	}
	if err := opened.AutoMigrate(models()...); err != nil {
		return Database{}, fmt.Errorf("AutoMigrate failed: %w", err)
	}
	plain, err := opened.DB()
	if err != nil {
		return Database{}, err
	}
	life, err := time.ParseDuration(c.Text("DBConfig.ConMaxLifeTime", ""))
	if err != nil {
		return Database{}, err
	}
	plain.SetConnMaxLifetime(life)
	return Database{plain}, nil
}

// createDatabase is client_manager.go:435: what says that it is there already is no error, whatever else the user may not.
func createDatabase(name, server, database, hint string) error {
	db, err := sql.Open(name, server)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec("CREATE DATABASE " + database)
	if err != nil && !strings.Contains(err.Error(), hint) {
		return fmt.Errorf("CREATE DATABASE %s: %w", database, err)
	}
	return nil
}

func group(name string) string {
	if name == "mysql" {
		return "DBConfig.MySQLConfig"
	}
	return "DBConfig.PostgreSQLConfig"
}

// mysqlServer is backend/src/apiserver/client/sql.go:24, and client_manager.go:447.
func mysqlServer(c Configuration, database string) string {
	of := func(name, otherwise string) string { return c.Text("DBConfig.MySQLConfig."+name, otherwise) }
	made := &driver.Config{
		User:                 of("User", "root"),
		Passwd:               of("Password", ""),
		Net:                  "tcp",
		Addr:                 of("Host", "mysql") + ":" + of("Port", "3306"),
		DBName:               database,
		AllowNativePasswords: true,
		ClientFoundRows:      database != "",
		Params: map[string]string{
			"charset":              "utf8",
			"parseTime":            "True",
			"loc":                  "Local",
			"group_concat_max_len": of("GroupConcatMaxLen", "1024"),
		},
	}
	return made.FormatDSN()
}

// postgresServer is client/sql.go:49: never encrypted, and the database `postgres` to begin with.
func postgresServer(c Configuration, database string) string {
	of := func(name, otherwise string) string { return c.Text("DBConfig.PostgreSQLConfig."+name, otherwise) }
	if database == "" {
		database = "postgres"
	}
	return fmt.Sprintf(
		"database=%s user=%s password=%s host=%s port=%s sslmode=disable",
		database, of("User", "root"), of("Password", ""), of("Host", "postgresql"), of("Port", "5432"),
	)
}

// begin writes what tables need that have one row, and asks for it: storage/db_status_store.go:46 and 90, and
// default_experiment_store.go:36. A row that cannot be written is passed over; that samples cannot be asked for ends the
// server, main.go:236.
func (d Database) begin() error {
	for table, row := range map[string]sq.Eq{
		"db_statuses":         {"HaveSamplesLoaded": false},
		"default_experiments": {"DefaultExperimentId": ""},
	} {
		var rows int
		if err := d.QueryRow("SELECT count(*) FROM " + table).Scan(&rows); err != nil {
			return err
		}
		if rows == 0 {
			if err := d.execute(sq.Insert(table).SetMap(row)); err != nil {
				log.Print(err)
			}
		}
	}
	var loaded bool
	return d.row(sq.Select("HaveSamplesLoaded").From("db_statuses"), &loaded)
}

func (d Database) execute(statement sq.Sqlizer) error {
	text, arguments, err := statement.ToSql()
	if err != nil {
		return err
	}
	if _, err = d.Exec(text, arguments...); err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	return nil
}

func (d Database) row(statement sq.Sqlizer, found ...any) error {
	text, arguments, err := statement.ToSql()
	if err != nil {
		return err
	}
	if err = d.QueryRow(text, arguments...).Scan(found...); err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	return nil
}

// createExperiment is storage/experiment_store.go:242; a second one of a name in a namespace is told apart from other faults.
func (d Database) createExperiment(id, namespace string) (bool, error) {
	err := d.execute(sq.Insert("experiments").SetMap(sq.Eq{
		"UUID": id, "CreatedAtInSec": 1, "LastRunCreatedAtInSec": 0, "Name": "Default", "Description": "", "Namespace": namespace,
		"StorageState": "AVAILABLE",
	}))
	var refused *driver.MySQLError
	if errors.As(err, &refused) && refused.Number == duplicate {
		return false, nil
	}
	return err == nil, err
}

// createPipeline is storage/pipeline_store.go:620 and 655, in one transaction.
func (d Database) createPipeline(id, namespace, text string) error {
	pipeline := sq.Insert("pipelines").SetMap(sq.Eq{
		"UUID": id, "CreatedAtInSec": 1, "Name": id, "DisplayName": id, "Description": "", "Status": "READY",
		"Namespace": namespace, "DefaultVersionId": "",
	})
	version := sq.Insert("pipeline_versions").SetMap(sq.Eq{
		"UUID": id, "CreatedAtInSec": 1, "Name": id, "DisplayName": id, "Parameters": "[]", "PipelineId": id, "Status": "READY",
		"CodeSourceUrl": "", "Description": "", "PipelineSpec": text, "PipelineSpecURI": "",
	})
	return d.together(pipeline, version)
}

// createRun is storage/run_store.go:509; its tasks are written twice, as the agent reports them again and again
// (task_store.go:362, by the upsert of db.go:128).
func (d Database) createRun(id, namespace, manifest string, tasks int) error {
	run := sq.Insert("run_details").SetMap(sq.Eq{
		"UUID": id, "ExperimentUUID": namespace, "DisplayName": id, "Name": id, "StorageState": "AVAILABLE", "Namespace": namespace,
		"ServiceAccount": "", "Description": "", "CreatedAtInSec": 1, "ScheduledAtInSec": 1, "FinishedAtInSec": 0, "Conditions": "",
		"WorkflowRuntimeManifest": manifest, "PipelineRuntimeManifest": "", "PipelineId": "", "PipelineName": "",
		"PipelineVersionId": "", "State": "RUNNING", "StateHistory": "[]",
	})
	reference := sq.Insert("resource_references").SetMap(sq.Eq{
		"ResourceUUID": id, "ResourceType": "Run", "ReferenceUUID": namespace, "ReferenceName": namespace,
		"ReferenceType": "Namespace", "Relationship": "OWNER", "Payload": "{}",
	})
	if err := d.together(run, reference); err != nil {
		return err
	}
	columns := []string{"UUID", "Namespace", "PipelineName", "RunUUID", "PodName", "CreatedTimestamp", "Fingerprint", "Payload"}
	insert := sq.Insert("tasks").Columns(columns...)
	for number := range tasks {
		name := id + "-" + strconv.Itoa(number)
		payload := `"` + strings.Repeat("t", 1000) + `"`
		insert = insert.Values(name, namespace, "", id, name, 1, "", payload)
	}
	again := make([]string, len(columns))
	for index, column := range columns {
		again[index] = fmt.Sprintf("%[1]v=VALUES(%[1]v)", column)
	}
	upsert := insert.Suffix("ON DUPLICATE KEY UPDATE " + strings.Join(again, ","))
	if err := d.execute(upsert); err != nil {
		return err
	}
	return d.execute(upsert)
}

// run is `GetRun`, storage/run_store.go:184 and 266: its manifest, and its tasks as one text, which the server cuts where
// `group_concat_max_len` is small.
func (d Database) run(id string) (manifest, namespace, tasks string, err error) {
	together := func(column string) string { return `CONCAT("[",GROUP_CONCAT(` + column + ` SEPARATOR ","),"]")` }
	of := []string{"UUID", "Namespace", "WorkflowRuntimeManifest"}
	from := func(alias string, more ...string) []string {
		made := make([]string, 0, len(of)+len(more))
		for _, column := range of {
			made = append(made, alias+"."+column)
		}
		return append(made, more...)
	}
	plain := sq.Select(of...).From("run_details").Where(sq.Eq{"UUID": id}).Limit(1)
	references := sq.Select(from("rd", together("rr.Payload")+" AS refs")...).FromSelect(plain, "rd").
		LeftJoin("resource_references AS rr ON rr.ResourceType='Run' AND rd.UUID=rr.ResourceUUID").GroupBy("rd.UUID")
	details := sq.Select(from("rdref", "rdref.refs", together("tasks.Payload")+" AS taskDetails")...).
		FromSelect(references, "rdref").LeftJoin("tasks AS tasks ON rdref.UUID=tasks.RunUUID").GroupBy("rdref.UUID")
	whole := sq.Select("subq.WorkflowRuntimeManifest", "subq.Namespace", "subq.taskDetails").FromSelect(details, "subq").
		LeftJoin("run_metrics AS rm ON subq.UUID=rm.RunUUID").GroupBy("subq.UUID")
	err = d.row(whole, &manifest, &namespace, &tasks)
	return manifest, namespace, tasks, err
}

func (d Database) together(statements ...sq.Sqlizer) error {
	transaction, err := d.Begin()
	if err != nil {
		return err
	}
	for _, each := range statements {
		text, arguments, err := each.ToSql()
		if err != nil {
			return errors.Join(err, transaction.Rollback())
		}
		if _, err = transaction.Exec(text, arguments...); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", text, err), transaction.Rollback())
		}
	}
	return transaction.Commit()
}
