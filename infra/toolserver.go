package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsecrassets"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsecs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsefs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsssm"
	"github.com/aws/jsii-runtime-go"
)

const (
	taskID  = "65532" // user and group of the task and of its files
	dataDir = "/data"
)

// newToolServer runs the one task. It is stopped before the next one starts, because
// it is the only writer of its directory.
func newToolServer(app awscdk.App, s Settings, d *data, n *network, baseURL awsssm.StringParameter, dist string) {
	in := stack(app, s, "ToolServer", "MCP tool server")
	disk, access := fileSystem(in, n)
	grants := taskGrants(in, s, d, mount(disk, access))
	definition := awsecs.NewFargateTaskDefinition(in, jsii.String("Task"), &awsecs.FargateTaskDefinitionProps{
		Cpu:             jsii.Number(256),
		MemoryLimitMiB:  jsii.Number(1024),
		RuntimePlatform: platform(s.Arch),
		TaskRole:        role(in, "task-role", "ecs-tasks.amazonaws.com", grants),
		Volumes:         &[]*awsecs.Volume{volume(disk, access)},
	})
	container(in, s, d, definition, baseURL, dist)

	cluster := awsecs.NewCluster(in, jsii.String("Cluster"), &awsecs.ClusterProps{
		Vpc: n.vpc,
	})
	service := awsecs.NewFargateService(in, jsii.String("Service"), &awsecs.FargateServiceProps{
		Cluster:           cluster,
		TaskDefinition:    definition,
		DesiredCount:      jsii.Number(1),
		MinHealthyPercent: jsii.Number(0),
		MaxHealthyPercent: jsii.Number(100),
		CircuitBreaker:    &awsecs.DeploymentCircuitBreaker{Rollback: jsii.Bool(true)},
		// A public address without an open port replaces a NAT gateway.
		AssignPublicIp:         jsii.Bool(true),
		VpcSubnets:             &awsec2.SubnetSelection{SubnetType: awsec2.SubnetType_PUBLIC},
		SecurityGroups:         &[]awsec2.ISecurityGroup{n.task},
		EnableECSManagedTags:   jsii.Bool(true),
		PropagateTags:          awsecs.PropagatedTagSource_SERVICE,
		HealthCheckGracePeriod: awscdk.Duration_Seconds(jsii.Number(60)),
	})

	service.Node().AddDependency(disk.MountTargetsAvailable())
	service.AttachToApplicationTargetGroup(n.target)
}

// volume is the data directory as the task mounts it.
func volume(disk awsefs.FileSystem, access awsefs.AccessPoint) *awsecs.Volume {
	return &awsecs.Volume{
		Name: jsii.String("data"),
		EfsVolumeConfiguration: &awsecs.EfsVolumeConfiguration{
			FileSystemId:      disk.FileSystemId(),
			TransitEncryption: jsii.String("ENABLED"),
			AuthorizationConfig: &awsecs.AuthorizationConfig{
				AccessPointId: access.AccessPointId(),
				Iam:           jsii.String("ENABLED"),
			},
		},
	}
}

func taskGrants(in awscdk.Stack, s Settings, d *data, disk grant) []grant {
	grants := slices.Concat(
		d.appendAudit(),
		d.sealAudit(),
		stopManaged(in, s.Managed),
		[]grant{d.shareState(), disk},
	)
	for _, secret := range []string{s.TelemetryHeaders, s.LLMKey} {
		if secret != "" {
			grants = append(grants, readSecrets(jsii.String(secret)))
		}
	}

	if s.LLMAPI == "bedrock" {
		grants = append(grants, askModel(in, s.LLMModel))
	}

	return append(grants, toolSales(in, s, d).grants...)
}

// toolSales adds the settings of a selling function and its site to a task that sells
// tools.
func toolSales(in awscdk.Stack, s Settings, d *data) function {
	made := function{}
	if !s.sellsTools() {
		return made
	}

	seller := functions{
		in:       in,
		settings: s,
		data:     d,
	}
	made.tell(seller.site())
	seller.sell(&made)
	return made
}

// fileSystem is the data directory; it outlives the stack.
func fileSystem(in awscdk.Stack, n *network) (awsefs.FileSystem, awsefs.AccessPoint) {
	disk := awsefs.NewFileSystem(in, jsii.String("Disk"), &awsefs.FileSystemProps{
		Vpc:                    n.vpc,
		VpcSubnets:             inner(),
		SecurityGroup:          n.disk,
		Encrypted:              jsii.Bool(true),
		EnableAutomaticBackups: jsii.Bool(true),
		RemovalPolicy:          awscdk.RemovalPolicy_RETAIN,
	})

	access := disk.AddAccessPoint(jsii.String("Data"), &awsefs.AccessPointOptions{
		Path: jsii.String("/data"),
		PosixUser: &awsefs.PosixUser{
			Uid: jsii.String(taskID),
			Gid: jsii.String(taskID),
		},
		CreateAcl: &awsefs.Acl{
			OwnerUid:    jsii.String(taskID),
			OwnerGid:    jsii.String(taskID),
			Permissions: jsii.String("700"),
		},
	})
	return disk, access
}

func mount(disk awsefs.FileSystem, access awsefs.AccessPoint) grant {
	throughAccess := map[string]any{
		"elasticfilesystem:AccessPointArn": access.AccessPointArn(),
	}
	return grant{
		actions:    "elasticfilesystem:ClientMount elasticfilesystem:ClientWrite",
		resources:  []*string{disk.FileSystemArn()},
		conditions: map[string]any{"StringEquals": throughAccess},
	}
}

func platform(arch string) *awsecs.RuntimePlatform {
	processor := awsecs.CpuArchitecture_ARM64()
	if arch == "x86_64" {
		processor = awsecs.CpuArchitecture_X86_64()
	}
	return &awsecs.RuntimePlatform{
		CpuArchitecture:       processor,
		OperatingSystemFamily: awsecs.OperatingSystemFamily_LINUX(),
	}
}

// container has a read-only root file system, an unprivileged user and an init process.
func container(
	in awscdk.Stack,
	s Settings,
	d *data,
	definition awsecs.FargateTaskDefinition,
	baseURL awsssm.StringParameter,
	dist string,
) {
	architecture := awsecrassets.Platform_LINUX_ARM64()
	if s.Arch == "x86_64" {
		architecture = awsecrassets.Platform_LINUX_AMD64()
	}
	image := awsecs.ContainerImage_FromAsset(jsii.String(dist+"/toolserver"), &awsecs.AssetImageProps{
		Platform: architecture,
	})

	environment := map[string]*string{
		"AWS_REGION":  jsii.String(s.Region),
		"DATA_DIR":    jsii.String(dataDir),
		"STATE_TABLE": d.state.TableName(),
	}
	maps.Copy(environment, d.chain(s))
	maps.Copy(environment, variables(s.telemetry()))

	maps.Copy(environment, variables(s.tools()))
	maps.Copy(environment, variables(s.passedTo(auditors)))
	maps.Copy(environment, toolSales(in, s, d).environment)
	if s.passed["CHECKPOINT_MEMO_KEY_FILE"] != "" {
		environment["RPC_URLS"] = jsii.String(s.RPCURLs)
	}

	secrets := map[string]awsecs.Secret{
		"BASE_URL":      awsecs.Secret_FromSsmParameter(baseURL),
		"GOV_API_TOKEN": awsecs.Secret_FromSecretsManager(d.token, nil),
		"KILL_SECRET":   awsecs.Secret_FromSecretsManager(d.kill, nil),
	}

	linux := awsecs.NewLinuxParameters(
		in,
		jsii.String("Linux"),
		&awsecs.LinuxParametersProps{InitProcessEnabled: jsii.Bool(true)},
	)
	linux.DropCapabilities(awsecs.Capability_ALL)
	logs := awslogs.NewLogGroup(in, jsii.String("Logs"), &awslogs.LogGroupProps{
		LogGroupName:  jsii.String(fmt.Sprintf("/%s/toolserver", s.Name)),
		Retention:     logDays,
		RemovalPolicy: awscdk.RemovalPolicy_DESTROY,
	})
	count(in, "ChainBroken", logs, "ChainBroken", chainTroubles)

	made := definition.AddContainer(jsii.String("toolserver"), &awsecs.ContainerDefinitionOptions{
		Image:                  image,
		Environment:            &environment,
		Secrets:                &secrets,
		User:                   jsii.String(taskID + ":" + taskID),
		ReadonlyRootFilesystem: jsii.Bool(true),
		StopTimeout:            awscdk.Duration_Seconds(jsii.Number(60)),
		LinuxParameters:        linux,
		PortMappings:           &[]*awsecs.PortMapping{{ContainerPort: jsii.Number(toolPort)}},
		Logging: awsecs.LogDriver_AwsLogs(&awsecs.AwsLogDriverProps{
			StreamPrefix: jsii.String("task"),
			Mode:         awsecs.AwsLogDriverMode_NON_BLOCKING,
			LogGroup:     logs,
		}),
	})
	made.AddMountPoints(&awsecs.MountPoint{
		ContainerPath: jsii.String(dataDir),
		SourceVolume:  jsii.String("data"),
		ReadOnly:      jsii.Bool(false),
	})
}
